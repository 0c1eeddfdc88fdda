// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/attention_dump.h"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "core/io/array_file.h"
#include "core/io/files.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "core/session/evaluation.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::session {
namespace {

namespace fs = std::filesystem;

fs::path dumpFile(const std::string& name) {
    return test::bundledDataFolder() / "dumps" / name;
}

// (2, 3, 8, 8): what every file of the folder holds in its own way.
std::vector<float> expectedWeights(std::size_t layer) {
    const auto array = std::get<io::Array<double>>(*io::readNpy(dumpFile("expected.npy")));
    const auto first = array.values.begin() + static_cast<std::ptrdiff_t>(layer * 192);
    return {first, first + 192};
}

Result<AttentionDump> read(const fs::path& path) {
    return readAttentionDump(path, {});
}

std::vector<float> weightsOf(const AttentionDump& dump, std::size_t record) {
    return recordedWeights(dump.trace->records[record]);
}

class Written : public testing::Test {
protected:
    void add(const std::string& name, std::vector<std::size_t> shape, const std::vector<float>& values) {
        writer.add(name, std::move(shape), values);
    }
    Result<AttentionDump> dump() {
        EXPECT_TRUE(writer.write(folder / "dump.safetensors"));
        return read(folder / "dump.safetensors");
    }
    /// Refused in one line that holds `words`.
    testing::AssertionResult refused(const std::string& words) {
        const auto result = dump();
        if (result) return testing::AssertionFailure() << "was read";
        const std::string& message = result.error().message;
        const bool fits = message.find(words) != std::string::npos &&
                          message.find('\n') == std::string::npos &&
                          message.find("dump.safetensors") != std::string::npos;
        return fits ? testing::AssertionSuccess() : testing::AssertionFailure() << message;
    }
    test::TemporaryFolder folder;
    io::SafetensorsWriter writer;
};

TEST(AttentionDumps, every_layout_gives_the_same_weights) {
    for (const auto& [name, layers, tolerance] :
         {std::tuple{"attention.npy", 2U, 1e-6}, {"scores_fortran.npy", 2U, 1e-6}, {"named.npz", 2U, 1e-6},
          {"layers.npz", 2U, 1e-3}, {"plain.npz", 1U, 1e-6}}) {
        const auto dump = read(dumpFile(name));
        ASSERT_TRUE(dump) << dump.error().message;
        ASSERT_EQ(dump->trace->records.size(), layers) << name;
        for (std::size_t layer = 0; layer < layers; ++layer) {
            EXPECT_TRUE(test::valuesNear(weightsOf(*dump, layer), expectedWeights(layer), tolerance)) << name;
            EXPECT_EQ(dump->info.sites[layer].name, "layer." + std::to_string(layer));
        }
        EXPECT_EQ(dump->info.heads, 3U);
        EXPECT_EQ(dump->info.format, "dump");
    }
    const auto half = read(dumpFile("half.npy"));
    ASSERT_TRUE(half) << half.error().message;
    EXPECT_TRUE(test::valuesNear(weightsOf(*half, 0), expectedWeights(1), 1e-3));
    const auto one = read(dumpFile("one_head.npy"));
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->trace->records[0].scores->heads(), 1U);
}

TEST(AttentionDumps, tokens_of_either_kind_of_text_are_read) {
    for (const char* name : {"named.npz", "layers.npz"}) {
        const auto dump = read(dumpFile(name));
        ASSERT_TRUE(dump) << dump.error().message;
        ASSERT_EQ(dump->trace->tokens.size(), 8U);
        EXPECT_EQ(dump->trace->tokens[2].text, "schöner") << name;
        EXPECT_EQ(dump->trace->tokens[4].text, "🦊") << name;
        EXPECT_TRUE(dump->trace->tokens[0].special);
        EXPECT_FALSE(dump->trace->tokens[1].special);
    }
}

TEST(AttentionDumps, grid_stands_at_the_end_and_the_picture_comes_with_it) {
    const auto dump = read(dumpFile("layers.npz"));
    ASSERT_TRUE(dump) << dump.error().message;
    EXPECT_EQ(dump->trace->grid, (PatchGrid{2, 3, 2}));
    ASSERT_NE(dump->image, nullptr);
    EXPECT_EQ(dump->image->width, 40U);
    EXPECT_EQ(dump->image->height, 30U);
    const auto path = read(dumpFile("picture_path.npz"));
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(path->imageFile, fs::weakly_canonical(dumpFile("cat.png")));
    EXPECT_EQ(path->trace->tokens[0].text, "[prefix 0]");
    EXPECT_EQ(path->trace->tokens[7].text, "1,1");
}

TEST(AttentionDumps, stacks_are_told_apart) {
    const auto dump = read(dumpFile("stacks.npz"));
    ASSERT_TRUE(dump) << dump.error().message;
    ASSERT_EQ(dump->info.sites.size(), 3U);
    EXPECT_EQ(dump->info.sites[0].name, "encoder.0");
    EXPECT_EQ(dump->info.sites[1].name, "decoder.0");
    EXPECT_EQ(dump->info.sites[2].name, "cross.0");
    EXPECT_EQ(dump->trace->records[2].scores->queries(), 5U);
    EXPECT_EQ(dump->trace->records[2].scores->keys(), 8U);
}

std::vector<std::string> textsOf(std::span<const TokenLabel> labels) {
    std::vector<std::string> texts;
    for (const TokenLabel& label : labels) texts.push_back(label.text);
    return texts;
}

using Texts = std::vector<std::string>;

TEST_F(Written, two_stacks_have_the_tokens_of_two_texts) {
    add("encoder_scores.0", {1, 3, 3}, std::vector<float>(9, 0));
    add("decoder_scores.0", {1, 2, 2}, std::vector<float>(4, 0));
    add("cross_scores.0", {1, 2, 3}, std::vector<float>(6, 0));
    writer.metadata()["tokens"] = R"(["a", "b", "</s>"])";
    writer.metadata()["target_tokens"] = R"(["</s>", "x"])";
    const auto read = dump();
    ASSERT_TRUE(read) << read.error().message;
    const Trace& trace = *read->trace;
    EXPECT_EQ(textsOf(trace.tokens), (Texts{"a", "b", "</s>"}));
    EXPECT_EQ(textsOf(trace.targetTokens), (Texts{"</s>", "x"}));
    EXPECT_TRUE(trace.targetTokens[0].special && !trace.targetTokens[1].special);
    EXPECT_EQ(textsOf(trace.keyTokens(SiteIndex(1))), (Texts{"</s>", "x"}));
    EXPECT_EQ(textsOf(trace.queryTokens(SiteIndex(2))), (Texts{"</s>", "x"}));
    EXPECT_EQ(textsOf(trace.keyTokens(SiteIndex(2))), (Texts{"a", "b", "</s>"}));
}

TEST_F(Written, positions_of_a_second_text_without_names_are_numbered) {
    // As many as the first text has: which of them are meant is said by the stack alone.
    add("encoder_scores.0", {1, 2, 2}, std::vector<float>(4, 0));
    add("cross_scores.0", {1, 2, 2}, std::vector<float>(4, 0));
    writer.metadata()["tokens"] = R"(["a", "b"])";
    const auto read = dump();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(textsOf(read->trace->targetTokens), (Texts{"0", "1"}));
}

TEST_F(Written, queries_with_names_of_their_own_ask_from_another_text) {
    add("scores.0", {1, 2, 2}, std::vector<float>(4, 0));
    writer.metadata()["tokens"] = R"(["a", "b"])";
    writer.metadata()["query_tokens"] = R"(["a", "b"])";
    const auto same = dump();
    ASSERT_TRUE(same) << same.error().message;
    EXPECT_EQ(same->info.sites[0].kind, SiteKind::Encoder);
    EXPECT_TRUE(same->trace->targetTokens.empty());
    writer.metadata()["query_tokens"] = R"(["x", "y"])";
    const auto other = dump();
    ASSERT_TRUE(other) << other.error().message;
    EXPECT_EQ(other->info.sites[0].kind, SiteKind::Cross);
    EXPECT_EQ(textsOf(other->trace->queryTokens(SiteIndex(0))), (Texts{"x", "y"}));
    EXPECT_EQ(textsOf(other->trace->keyTokens(SiteIndex(0))), (Texts{"a", "b"}));
}

TEST_F(Written, a_mask_of_the_first_text_hides_nothing_of_the_second) {
    for (const char* stack : {"encoder", "decoder", "cross"}) {
        for (const char* what : {"queries", "keys"})
            add(std::string(stack) + "_" + what + ".0", {1, 2, 1}, {1, 1});
    }
    writer.metadata()["attention_mask"] = "[1, 0]";
    const auto read = dump();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(weightsOf(*read, 0), (std::vector<float>{1, 0, 1, 0}));
    EXPECT_EQ(weightsOf(*read, 1), (std::vector<float>{0.5, 0.5, 0.5, 0.5}));
    EXPECT_EQ(weightsOf(*read, 2), (std::vector<float>{1, 0, 1, 0}));
}

TEST_F(Written, a_window_bounds_how_far_back_queries_look) {
    add("queries.0", {1, 3, 1}, {1, 1, 1});
    add("keys.0", {1, 3, 1}, {1, 1, 1});
    writer.metadata()["mask_kinds"] = R"({"layer.0": "causal, window 2"})";
    const auto read = dump();
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(weightsOf(*read, 0), (std::vector<float>{1, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5}));
}

TEST_F(Written, names_with_numbers_are_layers_in_their_order) {
    for (const char* name : {"attention.11", "attention.2", "attention_layer5"})
        add(name, {1, 2, 2}, {1, 0, 0, 1});
    const auto found = dump();
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->info.sites.size(), 3U);
    EXPECT_EQ(found->info.sites[0].layer.value, 2U);
    EXPECT_EQ(found->info.sites[1].layer.value, 5U);
    EXPECT_EQ(found->info.sites[2].layer.value, 11U);
}

TEST_F(Written, zeros_are_masked_and_not_a_number_stays_one) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    add("attention", {3, 3}, {0.5, 0.5, 0, 0, 0, 0, nan, 0.5, 0.5});
    const auto found = dump();
    ASSERT_TRUE(found) << found.error().message;
    std::vector<float> scores(9);
    found->trace->records[0].scores->scores(HeadIndex(0), {QueryIndex(0), 3}, scores);
    EXPECT_TRUE(std::isinf(scores[2]));
    EXPECT_TRUE(std::isinf(scores[3]));
    EXPECT_TRUE(std::isnan(scores[6]));
}

TEST_F(Written, queries_and_keys_give_scaled_products) {
    add("queries.4", {2, 3, 2}, {1, 2, 3, 4, 5, 6, 1, 0, 0, 1, 1, 1});
    add("keys.4", {1, 3, 2}, {1, 0, 0, 1, 1, 1});
    writer.metadata()["scale"] = "0.5";
    writer.metadata()["mask_kinds"] = R"({"layer.4": "causal"})";
    const auto found = dump();
    ASSERT_TRUE(found) << found.error().message;
    const ScoreSource& source = *found->trace->records[0].scores;
    ASSERT_NE(source.recorded(), nullptr);
    EXPECT_EQ(source.maskKind(), MaskKind::Causal);
    std::vector<float> row(3);
    source.scores(HeadIndex(0), {QueryIndex(2), 1}, row);
    EXPECT_TRUE(test::valuesNear(row, std::vector<float>{2.5, 3, 5.5}, 1e-6));
    EXPECT_EQ(found->info.sites[0].layer.value, 4U);
}

TEST_F(Written, scores_go_before_weights_of_the_same_layer) {
    add("scores.0", {1, 2, 2}, {0, 1, 5, 0});
    add("attention.0", {1, 2, 2}, {1, 0, 0, 1});
    const auto found = dump();
    ASSERT_TRUE(found) << found.error().message;
    std::vector<float> row(2);
    found->trace->records[0].scores->scores(HeadIndex(0), {QueryIndex(1), 1}, row);
    EXPECT_EQ(row, (std::vector<float>{5, 0}));
}

TEST_F(Written, a_grid_that_does_not_fit_is_refused_with_the_arithmetic) {
    add("scores", {2, 5, 5}, std::vector<float>(50, 0));
    writer.metadata()["grid"] = "[2, 3]";
    EXPECT_TRUE(refused("a grid of 2 x 3 = 6 patches does not fit 5 keys"));
    for (const char* grid : {"[0, 3]", "[2]", "[1.5, 2]", "[-1, 2]", "\"2x2\"", "[1e30, 1e30]", "big"}) {
        writer.metadata()["grid"] = grid;
        EXPECT_TRUE(refused("grid")) << grid;
    }
}

TEST_F(Written, tokens_that_do_not_fit_are_refused) {
    add("scores", {2, 3, 3}, std::vector<float>(18, 0));
    writer.metadata()["tokens"] = R"(["a", "b"])";
    EXPECT_TRUE(refused("tokens: expected one a key, 3, found 2"));
    writer.metadata()["tokens"] = R"({"a": 1})";
    EXPECT_TRUE(refused("tokens"));
    writer.metadata()["tokens"] = R"(["a", "b", "c"])";
    writer.metadata()["query_tokens"] = R"(["a"])";
    EXPECT_TRUE(refused("query_tokens"));
}

TEST_F(Written, weights_that_are_none_are_refused_by_their_place) {
    add("attention.3", {2, 2, 2}, {1, 0, 0, 1, 0.5, 0.5, 0.9, 0.9});
    EXPECT_TRUE(refused("attention.3: head 1, row 1: weights sum to 1, found 1.8"));
}

TEST_F(Written, negative_weights_are_refused) {
    add("attention", {1, 2}, {1.5, -0.5});
    EXPECT_TRUE(refused("weights are not negative, found -0.5"));
}

TEST_F(Written, shapes_that_are_no_attention_are_refused) {
    add("attention", {4}, {1, 2, 3, 4});
    EXPECT_TRUE(refused("[4]"));
}

TEST_F(Written, one_layers_name_on_several_layers_is_refused) {
    add("attention.1", {2, 1, 1, 1}, {1, 1});
    EXPECT_TRUE(refused("attention.1"));
}

TEST_F(Written, two_arrays_of_one_layer_are_refused) {
    add("attention.0", {1, 1}, {1});
    add("attention_0", {1, 1}, {1});
    EXPECT_TRUE(refused("same layer"));
}

TEST_F(Written, queries_without_keys_are_refused) {
    add("queries.0", {1, 2, 2}, {1, 2, 3, 4});
    EXPECT_TRUE(refused("queries.0: its keys are missing"));
}

TEST_F(Written, a_file_without_attention_is_refused_with_what_it_holds) {
    add("logits", {3}, {1, 2, 3});
    EXPECT_TRUE(refused("logits [3]"));
}

TEST_F(Written, half_precision_need_not_sum_to_one_exactly) {
    std::vector<Eigen::half> halves;
    for (int i = 0; i < 300; ++i) halves.emplace_back(1.0F / 300);
    writer.addBytes("attention.0", io::ElementType::F16, {1, 300}, std::as_bytes(std::span(halves)));
    const auto found = dump();
    ASSERT_TRUE(found) << found.error().message;
    double sum = 0;
    for (const float weight : weightsOf(*found, 0)) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-6);
}

TEST(AttentionDumps, cut_short_anywhere_they_are_refused) {
    const test::TemporaryFolder folder;
    for (const char* name : {"layers.npz", "half.npy"}) {
        const std::string whole = *io::readTextFile(dumpFile(name));
        const fs::path part = folder / name;
        for (std::size_t length = 0; length < whole.size(); length += whole.size() / 40 + 1) {
            test::writeBytes(part, whole.substr(0, length));
            EXPECT_FALSE(read(part)) << name << " " << length;
        }
    }
}

TEST(AttentionDumps, any_byte_changed_is_a_dump_or_a_sentence) {
    const test::TemporaryFolder folder;
    for (const char* name : {"layers.npz", "named.npz", "half.npy"}) {
        const std::string whole = *io::readTextFile(dumpFile(name));
        for (std::size_t place = 0; place < whole.size(); place += whole.size() / 150 + 1) {
            std::string bytes = whole;
            bytes[place] = static_cast<char>(bytes[place] ^ 0xFF);
            test::writeBytes(folder / name, bytes);
            static_cast<void>(read(folder / name));
        }
    }
}

TEST(AttentionDumps, broken_npy_files_are_refused) {
    const test::TemporaryFolder folder;
    for (const test::BrokenFile& file : test::brokenNpy()) {
        test::writeBytes(folder / "dump.npy", file.content);
        const auto found = read(folder / "dump.npy");
        EXPECT_FALSE(found) << file.defect;
    }
    for (const test::BrokenFile& file : test::brokenSafetensors()) {
        test::writeBytes(folder / "dump.safetensors", file.content);
        EXPECT_FALSE(read(folder / "dump.safetensors")) << file.defect;
    }
    test::writeBytes(folder / "dump.npz", "PK\3\4 no zip");
    EXPECT_FALSE(read(folder / "dump.npz"));
    EXPECT_FALSE(read(folder / "none.npz"));
    EXPECT_FALSE(read(folder.path() / "none.txt"));
}

TEST(AttentionDumps, pickled_objects_are_refused_by_name) {
    const test::TemporaryFolder folder;
    test::writeBytes(
        folder / "dump.npy",
        test::npyBytes("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "\x80\x04K\x01."));
    const auto found = read(folder / "dump.npy");
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().message.find("pickled"), std::string::npos) << found.error().message;
}

TEST(AttentionDumps, endings_say_what_looks_like_one) {
    EXPECT_TRUE(looksLikeDump("a/b.NPZ"));
    EXPECT_TRUE(looksLikeDump("b.safetensors"));
    EXPECT_TRUE(looksLikeDump("b.npy"));
    EXPECT_FALSE(looksLikeDump("b.png"));
    EXPECT_FALSE(looksLikeDump("npy"));
}

}  // namespace
}  // namespace fovea::session
