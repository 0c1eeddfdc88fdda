// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

class ExportCommand : public testing::Test {
protected:
    void SetUp() override {
        if (models.empty()) GTEST_SKIP() << "no runnable model among the test data";
    }
    ProgramResult figure(const std::string& name, std::vector<std::string> options = {}) {
        options.insert(options.begin(), {"export", models.front(), "--text", "one two three", "-o", folder / name});
        const ProgramSurroundings noDisplay{{}, {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}, {}, false, -1};
        return fovea(options, noDisplay);
    }
    const std::vector<fs::path>& models = runnableModels();
    TemporaryFolder folder;
};

TEST_F(ExportCommand, writes_each_format_without_a_display_and_in_silence) {
    const std::pair<const char*, std::string> formats[] = {{"f.svg", "<?xml"}, {"f.pdf", "%PDF"}, {"f.png", "\x89PNG"}};
    for (const auto& [name, start] : formats) {
        const auto result = figure(name);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_EQ(result.out + result.err, "");
        EXPECT_TRUE(contentOf(folder / name).starts_with(start)) << name;
    }
}

TEST_F(ExportCommand, the_same_question_gives_the_same_bytes) {
    for (const char* ending : {".svg", ".pdf", ".png"}) {
        const std::string first = std::string("a") + ending;
        const std::string second = std::string("b") + ending;
        const std::vector<std::string> options{"--domain", "continuous", "--alpha", "1.5"};
        ASSERT_EQ(figure(first, options).exitCode, 0);
        ASSERT_EQ(figure(second, options).exitCode, 0);
        EXPECT_TRUE(contentOf(folder / first) == contentOf(folder / second)) << ending;
    }
}

TEST_F(ExportCommand, every_view_domain_and_theme_draws) {
    const std::vector<std::vector<std::string>> lines{
        {"--view", "text"},
        {"--view", "matrix", "--theme", "dark"},
        {"--view", "matrix", "--domain", "continuous", "--alpha", "1", "--theme", "light"},
        {"--domain", "continuous", "--match", "paper", "--temperature", "2"},
        {"--alpha", "1.5", "--temperature", "0.8", "--inside", "--layer", "1", "--head", "1", "--query", "0"},
        {"--width-mm", "90", "--dpi", "72"}};
    for (const auto& line : lines) {
        const auto result = figure("f.png", line);
        EXPECT_EQ(result.exitCode, 0) << testing::PrintToString(line) << result.err;
    }
}

TEST_F(ExportCommand, a_query_may_be_named_by_its_token) {
    const auto tokens = jsonOf(fovea({"tokenize", models.front(), "--text", "one two three", "--json"}))["tokens"];
    const std::size_t last = tokens.size() - 1;
    ASSERT_EQ(figure("index.svg", {"--query", std::to_string(last)}).exitCode, 0);
    const auto named = figure("token.svg", {"--query", tokens[last]});
    ASSERT_EQ(named.exitCode, 0) << named.err;
    EXPECT_TRUE(refused(figure("f.svg", {"--query", "no such token"}), 1, {"no such token"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--query", "100000"}), 1, {"100000"}));
}

TEST_F(ExportCommand, data_stands_beside_the_figure) {
    for (const char* name : {"d.csv", "d.json", "d.npz"}) {
        const auto result = figure("f.svg", {"--data", folder / name});
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_GT(fs::file_size(folder / name), 0U);
    }
    EXPECT_FALSE(nlohmann::json::parse(contentOf(folder / "d.json"), nullptr, false).is_discarded());
}

TEST_F(ExportCommand, bad_input_is_refused) {
    EXPECT_TRUE(refused(figure("f.gif"), 2));
    EXPECT_TRUE(refused(figure("f.svg", {"--layer", "99"}), 1, {"99"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--head", "99"}), 1, {"99"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--alpha", "0.5"}), 1, {"0.5"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--domain", "continuous", "--temperature", "0"}), 1));
    EXPECT_TRUE(refused(figure("f.svg", {"--width-mm", "0"}), 1));
    EXPECT_TRUE(refused(figure("f.svg", {"--dpi", "1000000"}), 1));
    EXPECT_TRUE(refused(figure("missing/f.svg"), 1, {"missing"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--data", folder / "d.txt"}), 2, {"d.txt"}));
    EXPECT_TRUE(refused(figure("f.svg", {"--match", "paper"}), 2));
    EXPECT_TRUE(refused(figure("f.svg", {"--domain", "continuous", "--inside"}), 2));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace fovea::test
