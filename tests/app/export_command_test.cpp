// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/io/numpy.h"
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
        options.insert(options.begin(),
                       {"export", models.front(), "--text", "one two three", "-o", folder / name});
        const ProgramSurroundings noDisplay{
            {}, {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}, {}, false, -1};
        return fovea(options, noDisplay);
    }
    const std::vector<fs::path>& models = runnableModels();
    TemporaryFolder folder;
};

TEST_F(ExportCommand, writes_each_format_without_a_display_and_in_silence) {
    const std::pair<const char*, std::string> formats[] = {
        {"f.svg", "<?xml"}, {"f.pdf", "%PDF"}, {"f.png", "\x89PNG"}};
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
    const auto tokens =
        jsonOf(fovea({"tokenize", models.front(), "--text", "one two three", "--json"}))["tokens"];
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

TEST_F(ExportCommand, labels_are_source_text_and_on_request_the_vocabularys_pieces) {
    const auto tokensWith = [&](std::vector<std::string> options) {
        options.insert(options.end(), {"--data", folder / "d.json"});
        const auto result = figure("f.svg", options);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        return nlohmann::json::parse(contentOf(folder / "d.json")).at("panels").at(0).at("tokens");
    };
    const auto cut = fovea({"tokenize", models.front(), "--text", "one two three", "--json"});
    ASSERT_EQ(cut.exitCode, 0) << cut.err;
    EXPECT_EQ(tokensWith({"--pieces"}), nlohmann::json::parse(cut.out).at("tokens"));
    std::string joined;
    for (const auto& token : tokensWith({})) {
        // A space may be a token of its own.
        const std::string text = token;
        if (text != " " && text != "␣") joined += text;
    }
    EXPECT_NE(joined.find("onetwothree"), std::string::npos) << joined;
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

ProgramResult drawn(std::vector<std::string> options) {
    options.insert(options.begin(), "export");
    const ProgramSurroundings noDisplay{
        {}, {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "XDG_RUNTIME_DIR"}, {}, false, -1};
    return fovea(options, noDisplay);
}

// The cat that is bundled: a dump with its picture, and no model.
class ExportDump : public testing::Test {
protected:
    const std::string dump = fs::path(FOVEA_SOURCE_DIR) / "resources/samples/chelsea/attention.safetensors";
    TemporaryFolder folder;
    const std::string figure = folder / "f.svg";
};

TEST_F(ExportDump, every_view_and_domain_of_a_picture_draws_in_silence) {
    const std::vector<std::vector<std::string>> lines{
        {},
        {"--view", "image", "--query", "5,8", "--head", "2"},
        {"--view", "image", "--domain", "continuous", "--alpha", "1.5"},
        {"--view", "image", "--domain", "mixture", "--components", "3"},
        {"--domain", "mixture", "--components", "bic", "--theme", "dark"},
        {"--view", "density", "--domain", "continuous"},
        {"--view", "matrix"}};
    for (const auto& line : lines) {
        std::vector<std::string> options{dump, "-o", figure};
        options.insert(options.end(), line.begin(), line.end());
        const auto result = drawn(options);
        EXPECT_EQ(result.exitCode, 0) << testing::PrintToString(line);
        EXPECT_EQ(result.out + result.err, "") << testing::PrintToString(line);
    }
}

TEST_F(ExportDump, the_same_question_gives_the_same_bytes) {
    for (const char* name : {"a.svg", "b.svg"}) {
        ASSERT_EQ(drawn({dump, "--query", "5,8", "--domain", "continuous", "-o", folder / name}).exitCode, 0);
    }
    EXPECT_TRUE(contentOf(folder / "a.svg") == contentOf(folder / "b.svg"));
}

TEST_F(ExportDump, of_two_stacks_has_queries_of_the_target_and_keys_of_the_source) {
    const std::string two = folder / "two.npz";
    const std::vector<io::NpzEntry> entries{
        {"encoder_attention.0", io::Array<float>{{1, 3, 3}, std::vector<float>(9, 1.0F / 3)}},
        {"cross_attention.0", io::Array<float>{{1, 2, 3}, {0.5F, 0.25F, 0.25F, 0.125F, 0.75F, 0.125F}}},
        {"tokens", std::vector<std::string>{"das", "Haus", "</s>"}},
        {"query_tokens", std::vector<std::string>{"<s>", "house"}}};
    ASSERT_TRUE(io::writeNpz(two, entries));
    const std::string data = folder / "data.json";
    for (const std::string view : {"text", "matrix", "density"}) {
        const auto result = drawn({two, "--site", "cross.0", "--query", "house", "--view", view, "-o", figure,
                                   "--data", data});
        ASSERT_EQ(result.exitCode, 0) << view << result.err;
    }
    const auto panel = nlohmann::json::parse(contentOf(data))["panels"][0];
    EXPECT_EQ(panel["query"]["index"], 1);
    EXPECT_EQ(panel["tokens"], (nlohmann::json{"das", "Haus", "</s>"}));
    EXPECT_EQ(panel["query_tokens"], (nlohmann::json{"<s>", "house"}));
    EXPECT_TRUE(
        refused(drawn({two, "--site", "cross.1", "-o", figure}), 1, {"cross.1", "encoder.0, cross.0"}));
    EXPECT_TRUE(refused(drawn({two, "--site", "cross.0", "--layer", "0", "-o", figure}), 2, {"--layer"}));
    EXPECT_TRUE(refused(drawn({two, "--site", "encoder.0", "--query", "house", "-o", figure}), 1, {"house"}));
}

TEST_F(ExportDump, what_does_not_fit_a_dump_is_refused) {
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--text", "a"}), 2, {"--text"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--view", "text"}), 1, {"--view text"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--inside"}), 1));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--layer", "3"}), 1, {"--layer", "11"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--query", "14,0"}), 1, {"14,0"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--panel", "0"}), 2, {"--panel"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--components", "3"}), 2, {"--components"}));
    EXPECT_TRUE(
        refused(drawn({dump, "-o", figure, "--domain", "mixture", "--components", "many"}), 2, {"many"}));
    EXPECT_TRUE(refused(drawn({dump, "-o", figure, "--domain", "mixture", "--components", "0"}), 1));
    EXPECT_FALSE(fs::exists(figure));
}

class ExportSession : public ExportDump {
protected:
    void SetUp() override {
        fs::copy_file(dump, folder / "cat.safetensors");
        fs::copy_file(fs::path(dump).parent_path() / "chelsea.png", folder / "chelsea.png");
    }
    void write(std::size_t panels) { writeBytes(session, sessionOf(panels).dump()); }
    // Two dumps beside each other, as version 2 keeps them.
    nlohmann::json comparison() {
        fs::copy_file(dump, folder / "dog.safetensors");
        nlohmann::json json = sessionOf(2);
        nlohmann::json side{
            {"source", json["source"]},
            {"input", json["input"]},
            {"options", {{"first_layers", nullptr}, {"body_alone", false}, {"read_as_they_run", false}}}};
        side["input"]["target"] = nullptr;
        side["input"]["generation"] = {{"new_tokens", 0}, {"sample", false}, {"temperature", 1.0},
                                       {"top_k", 0},      {"top_p", 1.0},    {"seed", 0}};
        json["sides"] = {side, side};
        json["sides"][1]["source"]["relative"] = "dog.safetensors";
        json["sides"][1]["source"]["absolute"] = "/nonexistent/dog.safetensors";
        json["version"] = 2;
        for (std::size_t panel = 0; panel < 2; ++panel) {
            json["panels"][panel]["side"] = panel;
            json["panels"][panel]["unmatched"] = nlohmann::json::array();
            json["panels"][panel]["without_query"] = false;
        }
        return json;
    }
    nlohmann::json sessionOf(std::size_t panels) {
        const nlohmann::json limits{{"alpha", 1.5}, {"temperature", 1.0}};
        const nlohmann::json mixture{{"choice", "fixed"}, {"components", 2}, {"iterations", 200},
                                     {"covariance_floor", 1e-6}};
        const nlohmann::json panel{
            {"mechanism",
             {{"domain", "continuous"},
              {"weights", limits},
              {"density", limits},
              {"matching", "moments"},
              {"floor", "cell"},
              {"mixture", mixture},
              {"inside_model", false}}},
            {"selection",
             {{"site", 0},
              {"head", 2},
              {"query", 114},
              {"more_queries", nlohmann::json::array()},
              {"pooling", "mean"}}},
            {"view", "image"},
            {"scale", "linear"},
            {"look", {{"heat", "smooth"}, {"patch_grid", false}, {"frame", "original"}}}};
        const nlohmann::json json{{"format", "fovea-session"},
                                  {"version", 1},
                                  {"source",
                                   {{"relative", "cat.safetensors"},
                                    {"absolute", "/nonexistent/cat.safetensors"},
                                    {"sha256", nullptr}}},
                                  {"input", {{"text", ""}, {"pair", nullptr}, {"picture", nullptr}}},
                                  {"panels", std::vector<nlohmann::json>(panels, panel)},
                                  {"active_panel", 0},
                                  {"linked", true}};
        return json;
    }
    const std::string session = folder / "work.fovea";
};

TEST_F(ExportSession, draws_all_its_panels_or_one) {
    write(2);
    const auto all = drawn({session, "-o", folder / "all.svg"});
    EXPECT_EQ(all.exitCode, 0) << all.err;
    EXPECT_EQ(all.err, "");
    const auto one = drawn({session, "--panel", "1", "-o", folder / "one.svg"});
    EXPECT_EQ(one.exitCode, 0) << one.err;
    EXPECT_FALSE(contentOf(folder / "all.svg") == contentOf(folder / "one.svg"));
    EXPECT_TRUE(refused(drawn({session, "--panel", "2", "-o", figure}), 1, {"--panel"}));
    EXPECT_TRUE(refused(drawn({session, "--layer", "0", "-o", figure}), 2, {"--layer"}));
    EXPECT_TRUE(refused(drawn({session, "--text", "a", "-o", figure}), 2, {"--text"}));
}

TEST_F(ExportSession, draws_two_sides_and_names_both) {
    writeBytes(session, comparison().dump());
    const auto both = drawn({session, "-o", folder / "both.svg", "--data", folder / "both.json"});
    EXPECT_EQ(both.exitCode, 0) << both.err;
    const auto json = nlohmann::json::parse(contentOf(folder / "both.json"));
    ASSERT_EQ(json["sides"].size(), 2U);
    for (const auto& side : json["sides"]) EXPECT_NE(side["file_hash"], "");
    EXPECT_EQ(json["panels"][0]["side"], 0);
    EXPECT_EQ(json["panels"][1]["side"], 1);
    const auto second =
        drawn({session, "--panel", "1", "-o", folder / "second.svg", "--data", folder / "second.json"});
    EXPECT_EQ(second.exitCode, 0) << second.err;
    EXPECT_EQ(nlohmann::json::parse(contentOf(folder / "second.json"))["panels"][0]["side"], 1);
    EXPECT_FALSE(contentOf(folder / "both.svg") == contentOf(folder / "second.svg"));
    fs::remove(folder / "dog.safetensors");
    EXPECT_TRUE(refused(drawn({session, "-o", figure}), 1, {"work.fovea", "dog.safetensors"}));
}

TEST_F(ExportSession, sides_that_do_not_fit_together_are_refused_by_key) {
    nlohmann::json json = comparison();
    json["panels"][1]["side"] = 2;
    writeBytes(session, json.dump());
    EXPECT_TRUE(refused(drawn({session, "-o", figure}), 1, {"work.fovea", "panels[1].side"}));
    json["version"] = 3;
    writeBytes(session, json.dump());
    EXPECT_TRUE(refused(drawn({session, "-o", figure}), 1, {"version 3", "newer"}));
}

TEST_F(ExportSession, what_has_moved_is_named) {
    write(1);
    fs::remove(folder / "cat.safetensors");
    EXPECT_TRUE(refused(drawn({session, "-o", figure}), 1, {"work.fovea", "/nonexistent/cat.safetensors"}));
}

TEST_F(ExportSession, broken_ones_are_refused_by_name) {
    for (const char* content : {"", "{}", "[]", "no json", R"({"format": "fovea-session", "version": 9})"}) {
        writeBytes(session, content);
        EXPECT_TRUE(refused(drawn({session, "-o", figure}), 1, {"work.fovea"})) << content;
    }
}

}  // namespace
}  // namespace fovea::test
