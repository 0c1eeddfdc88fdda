// SPDX-License-Identifier: GPL-3.0-or-later
//
// The rules on this source tree.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/house_rules/rules.h"

namespace fovea::house_rules {
namespace {

namespace fs = std::filesystem;

std::vector<SourceFile> readTree() {
    const fs::path root = FOVEA_SOURCE_DIR;
    std::vector<SourceFile> files;
    for (const char* folder : {"core", "widgets", "app", "tests", "cmake"}) {
        if (!fs::is_directory(root / folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const std::string extension = entry.path().extension().string();
            const bool readable = extension == ".h" || extension == ".hpp" || extension == ".inl" ||
                                  extension == ".cpp" || extension == ".cc" || extension == ".cmake" ||
                                  entry.path().filename() == "CMakeLists.txt";
            if (!readable || !entry.is_regular_file()) continue;
            std::ostringstream text;
            text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            files.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
        }
    }
    std::ranges::sort(files, {}, &SourceFile::path);
    return files;
}

const std::vector<SourceFile>& tree() {
    static const std::vector<SourceFile> files = readTree();
    return files;
}

std::string breachesOf(Rule rule) {
    std::string text;
    for (const SourceFile& file : tree()) text += listed(rule(file));
    return text;
}

TEST(Tree, was_found) {
    std::cout << tree().size() << " files under " << FOVEA_SOURCE_DIR << "\n";
    const auto holds = [](std::string_view path) {
        return std::ranges::find(tree(), path, &SourceFile::path) != tree().end();
    };
    EXPECT_TRUE(holds("core/support/result.h"));
    EXPECT_TRUE(holds("core/support/CMakeLists.txt"));
    EXPECT_TRUE(holds("tests/house_rules/tree_test.cpp"));
}

// Without OpenBLAS beside it the distribution's LibTorch multiplies matrices nine times slower.
TEST(SetUp, installs_openblas_beside_libtorch) {
    std::ostringstream script;
    script << std::ifstream(fs::path(FOVEA_SOURCE_DIR) / "dev", std::ios::binary).rdbuf();
    const std::string text = script.str();
    const std::size_t packages = text.find("packages=(");
    ASSERT_NE(packages, std::string::npos);
    const std::string listed = text.substr(packages, text.find(')', packages) - packages);
    EXPECT_NE(listed.find(" libtorch-dev"), std::string::npos) << listed;
    EXPECT_NE(listed.find(" libopenblas0-pthread"), std::string::npos) << listed;
}

TEST(Tree, has_no_qt_in_core) { EXPECT_EQ(breachesOf(qtInCore), ""); }
TEST(Tree, has_no_torch_in_headers_of_other_rooms) { EXPECT_EQ(breachesOf(torchInHeader), ""); }
TEST(Tree, has_no_include_of_a_lower_room) { EXPECT_EQ(breachesOf(includeOfLowerRoom), ""); }
TEST(Tree, has_no_link_to_a_lower_room) { EXPECT_EQ(breachesOf(linkToLowerRoom), ""); }
TEST(Tree, names_its_licence_in_every_source) { EXPECT_EQ(breachesOf(missingLicence), ""); }
TEST(Tree, has_no_source_of_more_than_500_lines) { EXPECT_EQ(breachesOf(tooLong), ""); }

TEST(Tree, has_every_folder_of_core_and_widgets_in_the_order) {
    for (const SourceFile& file : tree()) {
        const bool inRooms = file.path.starts_with("core/") || file.path.starts_with("widgets/");
        EXPECT_TRUE(!inRooms || !roomOf(file.path).empty()) << file.path << " lies in no room of the order";
    }
}

}  // namespace
}  // namespace fovea::house_rules
