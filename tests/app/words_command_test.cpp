// SPDX-License-Identifier: GPL-3.0-or-later
// What `fovea export --words` draws and writes, against what `fovea trace` recorded.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/io/array_file.h"
#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

json jsonOf(const fs::path& path) {
    std::ifstream file(path);
    return json::parse(file);
}

class ExportWords : public testing::Test {
protected:
    ProgramResult figure(const fs::path& model, const std::string& data, std::vector<std::string> options) {
        options.insert(options.begin(), {"export", model, "-o", folder / "f.svg", "--data", folder / data});
        return fovea(options);
    }
    // The recorded weights of head 0 of layer 0 of a model of one stack.
    std::vector<float> recorded(const fs::path& model, const std::string& input, std::size_t& tokens) {
        const auto traced = fovea({"trace", model, "--text", input, "-o", folder / "t.safetensors"});
        if (traced.exitCode != 0) return {};
        const auto file = io::readArrayFile(folder / "t.safetensors");
        const io::FileArray* array = file ? file->find("attention.0") : nullptr;
        if (!array) return {};
        tokens = array->shape.back();
        const auto* first = reinterpret_cast<const float*>(array->numbers.bytes.data());
        return {first, first + tokens * tokens};
    }
    TemporaryFolder folder;
    const std::string text = "Unbelievably, the hippopotamuses weren't misbehaving.";
};

TEST_F(ExportWords, are_sums_over_keys_and_means_over_queries_of_what_was_recorded) {
    std::size_t compared = 0;
    for (const fs::path& model : oneModelOfEachType()) {
        std::size_t tokens = 0;
        const std::vector<float> weights = recorded(model, text, tokens);
        if (weights.empty()) continue;
        const auto drawn = figure(model, "w.json", {"--text", text, "--words", "--view", "matrix"});
        ASSERT_EQ(drawn.exitCode, 0) << model << ": " << drawn.err;
        const json panel = jsonOf(folder / "w.json").at("panels").at(0);
        const json& groups = panel.at("words").at("keys");
        const json& rows = panel.at("matrix").at("weights");
        ASSERT_EQ(groups.back().at(1), tokens);
        ASSERT_EQ(rows.size(), groups.size());
        EXPECT_EQ(panel.at("tokens").size(), groups.size());
        for (std::size_t a = 0; a < groups.size(); ++a) {
            double rowSum = 0;
            for (std::size_t b = 0; b < groups.size(); ++b) {
                double wanted = 0;
                for (std::size_t q = groups[a][0]; q < groups[a][1]; ++q) {
                    for (std::size_t k = groups[b][0]; k < groups[b][1]; ++k)
                        wanted += static_cast<double>(weights[q * tokens + k]);
                }
                wanted /= groups[a][1].get<double>() - groups[a][0].get<double>();
                EXPECT_NEAR(rows[a][b].get<double>(), wanted, 2e-6) << model << ' ' << a << ' ' << b;
                rowSum += rows[a][b].get<double>();
            }
            EXPECT_NEAR(rowSum, 1, 1e-5);
        }
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no model of one stack reads a text among the test data";
}

TEST_F(ExportWords, a_query_is_found_by_the_text_of_its_word_and_a_trace_groups_as_its_model_does) {
    for (const fs::path& model : oneModelOfEachType()) {
        std::size_t tokens = 0;
        if (recorded(model, text, tokens).empty()) continue;
        const auto drawn = figure(model, "m.json", {"--text", text, "--words"});
        ASSERT_EQ(drawn.exitCode, 0) << model << ": " << drawn.err;
        const json whole = jsonOf(folder / "m.json").at("panels").at(0);
        // The longest word, however the vocabulary cuts it.
        std::string word;
        for (const json& token : whole.at("tokens")) {
            if (token.get<std::string>().size() > word.size()) word = token;
        }
        const auto asked = figure(model, "q.json", {"--text", text, "--words", "--query", word});
        ASSERT_EQ(asked.exitCode, 0) << model << ": " << asked.err;
        const json panel = jsonOf(folder / "q.json").at("panels").at(0);
        EXPECT_EQ(panel.at("query").at("token"), word);
        const auto dumped = figure(folder / "t.safetensors", "d.json", {"--words"});
        ASSERT_EQ(dumped.exitCode, 0) << model << ": " << dumped.err;
        EXPECT_EQ(jsonOf(folder / "d.json").at("panels").at(0).at("words").at("keys"),
                  whole.at("words").at("keys"));
    }
}

TEST_F(ExportWords, tables_and_arrays_say_what_their_numbers_count) {
    if (runnableModels().empty()) GTEST_SKIP() << "no runnable model among the test data";
    const fs::path model = runnableModels().front();
    ASSERT_EQ(figure(model, "w.csv", {"--text", text, "--words"}).exitCode, 0);
    std::ifstream table(folder / "w.csv");
    std::string line;
    std::getline(table, line);
    EXPECT_TRUE(line.ends_with(",unit\r")) << line;
    std::getline(table, line);
    EXPECT_TRUE(line.ends_with(",word\r")) << line;
    ASSERT_EQ(figure(model, "w.npz", {"--text", text, "--words"}).exitCode, 0);
    const auto arrays = io::readArrayFile(folder / "w.npz");
    ASSERT_TRUE(arrays) << arrays.error().message;
    EXPECT_NE(arrays->find("words_A"), nullptr);
    EXPECT_NE(arrays->find("query_words_A"), nullptr);
}

TEST_F(ExportWords, the_caption_says_how_words_are_weighed) {
    if (runnableModels().empty()) GTEST_SKIP() << "no runnable model among the test data";
    const auto drawn = figure(runnableModels().front(), "w.csv", {"--text", text, "--words"});
    ASSERT_EQ(drawn.exitCode, 0) << drawn.err;
    std::ifstream file(folder / "f.svg");
    const std::string svg((std::istreambuf_iterator<char>(file)), {});
    for (const char* part : {"sum over keys", "mean over"}) EXPECT_TRUE(svg.contains(part)) << part;
}

TEST_F(ExportWords, where_nothing_tells_words_they_are_refused) {
    const fs::path file = folder / "plain.npy";
    // A matrix of 2 x 2 without tokens.
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }";
    header.resize(117, ' ');
    std::string bytes = "\x93NUMPY";
    bytes += std::string("\x01\x00\x76\x00", 4) + header + '\n';
    for (const float weight : {1.0F, 0.0F, 0.5F, 0.5F})
        bytes.append(reinterpret_cast<const char*>(&weight), sizeof weight);
    std::ofstream(file, std::ios::binary) << bytes;
    const auto refused = figure(file, "w.csv", {"--words"});
    EXPECT_EQ(refused.exitCode, 1) << refused.out;
    EXPECT_TRUE(refused.err.contains("plain.npy: --words: expected a text")) << refused.err;
}

}  // namespace
}  // namespace fovea::test
