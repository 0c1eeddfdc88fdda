// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of a model, and little memory, on the command line.
#include <gtest/gtest.h>

#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using Arrays = std::map<std::string, std::vector<std::byte>>;

class LoadOptionsCommand : public testing::Test {
protected:
    // Everything that `fovea trace` writes.
    Arrays traced(const fs::path& model, std::vector<std::string> options) {
        const fs::path out = folder_ / "out.safetensors";
        std::vector<std::string> arguments{"trace", model.string(), "--text", "a", "-o", out.string()};
        arguments.insert(arguments.end(), options.begin(), options.end());
        const ProgramResult result = fovea(arguments);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        Arrays arrays;
        const auto file = io::SafetensorsFile::open(out);
        if (!file) return arrays;
        for (const std::string& name : (*file)->names()) {
            const io::ArrayView* view = (*file)->find(name);
            arrays[name].assign(view->bytes.begin(), view->bytes.end());
        }
        return arrays;
    }

    const fs::path bert_ = bundledDataFolder() / "models" / "bert-pair-classifier";

private:
    TemporaryFolder folder_;
};

TEST_F(LoadOptionsCommand, the_first_layers_alone_are_written) {
    const Arrays whole = traced(bert_, {}), part = traced(bert_, {"--first-layers", "2"});
    EXPECT_TRUE(whole.contains("attention.2"));
    EXPECT_FALSE(part.contains("attention.2"));
    for (const char* name : {"attention.0", "attention.1"}) EXPECT_EQ(part.at(name), whole.at(name)) << name;
}

TEST_F(LoadOptionsCommand, the_body_alone_gives_states_in_place_of_answers) {
    const Arrays whole = traced(bert_, {}), body = traced(bert_, {"--body"});
    EXPECT_TRUE(whole.contains("logits"));
    EXPECT_FALSE(body.contains("logits"));
    EXPECT_TRUE(body.contains("last_hidden_state"));
    EXPECT_EQ(body.at("attention.2"), whole.at("attention.2"));
}

TEST_F(LoadOptionsCommand, little_memory_changes_nothing) {
    EXPECT_EQ(traced(bert_, {"--low-memory"}), traced(bert_, {}));
}

TEST_F(LoadOptionsCommand, more_layers_than_there_are_are_refused_with_both_numbers) {
    for (const char* command : {"trace", "export"}) {
        const std::vector<std::string> arguments{
            command,
            bert_.string(),
            "--text",
            "a",
            "--first-layers",
            "4",
            "-o",
            "out." + std::string(command == std::string("trace") ? "safetensors" : "svg")};
        EXPECT_TRUE(refused(fovea(arguments), 2, {"first layers: expected 1 to 3", "found 4"}));
    }
}

}  // namespace
}  // namespace fovea::test
