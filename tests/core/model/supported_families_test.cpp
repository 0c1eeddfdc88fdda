// SPDX-License-Identifier: GPL-3.0-or-later
// The list of supported families in README is the one in the code.
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/model_config.h"
#include "core/model/model_family.h"
#include "tests/core/model/edited_model.h"

namespace fovea::test {
namespace {

using Listed = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> quotedNames(const std::string& cell) {
    static const std::regex name("`([^`]+)`");
    std::vector<std::string> names;
    for (std::sregex_iterator found(cell.begin(), cell.end(), name), end; found != end; ++found)
        names.push_back((*found)[1]);
    return names;
}

// Rows "| name | `model_type` | `Architecture`, ... |" below the line that heads them.
Listed listedInReadme() {
    std::istringstream readme(readBytes(bundledDataFolder().parent_path().parent_path() / "README.md"));
    Listed listed;
    bool inTable = false;
    for (std::string line; std::getline(readme, line);) {
        if (line.starts_with("| family | `model_type` | architectures |")) inTable = true;
        else if (!line.starts_with('|')) inTable = false;
        const std::vector<std::string> names = quotedNames(line);
        if (!inTable || names.size() < 2 || names.front() == "model_type") continue;
        EXPECT_FALSE(listed.contains(names.front())) << names.front() << " stands twice";
        listed[names.front()] = {names.begin() + 1, names.end()};
    }
    return listed;
}

Listed known() {
    Listed families;
    for (const model::ModelFamily* family : model::modelFamilies()) {
        for (const auto& [name, head] : family->architectures)
            families[family->modelType].emplace_back(name);
    }
    return families;
}

TEST(SupportedFamilies, in_the_readme_are_those_in_the_code) {
    const Listed listed = listedInReadme(), families = known();
    for (const auto& [type, architectures] : families) {
        ASSERT_TRUE(listed.contains(type)) << "README lacks " << type;
        EXPECT_EQ(listed.at(type), architectures) << type;
    }
    for (const auto& [type, architectures] : listed)
        EXPECT_TRUE(families.contains(type)) << "README has " << type << ", which is not supported";
}

TEST(SupportedFamilies, have_names_of_their_own) {
    std::map<std::string_view, std::string_view> typeOf;
    for (const model::ModelFamily* family : model::modelFamilies()) {
        EXPECT_FALSE(family->architectures.empty()) << family->modelType;
        for (const auto& [name, head] : family->architectures)
            EXPECT_TRUE(typeOf.emplace(name, family->modelType).second) << name;
    }
    EXPECT_EQ(model::supportedModelTypes().size(), known().size());
}

}  // namespace
}  // namespace fovea::test
