// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/outputs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/support/synthetic_trace.h"
#include "tests/support/test_data.h"

namespace fovea::session {
namespace {

Trace traceWith(OutputArray output, std::size_t length = 3) {
    Trace trace = test::traceOfScores({test::variedScores(length, length, 1)});
    trace.outputs.push_back(std::move(output));
    return trace;
}

Trace causalTraceWith(OutputArray output) {
    QueriesAndKeys recorded;
    recorded.heads = recorded.keyValueHeads = recorded.width = 1;
    recorded.queries = recorded.keys = 3;
    recorded.queryValues = {1, 2, 3};
    recorded.keyValues = {1, 0, 1};
    recorded.maskKind = MaskKind::Causal;
    Trace trace = traceWith(std::move(output));
    trace.records[0].scores = scoresFromQueriesAndKeys(std::move(recorded));
    return trace;
}

TEST(CompareOutputs, classifier_gives_the_probability_of_every_class_the_largest_first) {
    ModelInfo model;
    model.labels = {"no", "maybe", "yes"};
    model.outputs = {"logits"};
    const Trace own = traceWith({"logits", {3}, {0.0F, 0.0F, std::log(2.0F)}});
    const Trace changed = traceWith({"logits", {3}, {std::log(6.0F), 0.0F, 0.0F}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(0));
    EXPECT_EQ(comparison.title, "class probabilities");
    EXPECT_EQ(comparison.unit, "probability");
    ASSERT_EQ(comparison.lines.size(), 3U);
    EXPECT_EQ(comparison.lines[0].label, "no");
    EXPECT_NEAR(comparison.lines[0].before, 0.25, 1e-7);
    EXPECT_NEAR(comparison.lines[0].after, 0.75, 1e-7);
    EXPECT_EQ(comparison.lines[1].label, "yes");
    EXPECT_GT(comparison.divergence, 0.0);
}

TEST(CompareOutputs, causal_model_gives_the_token_after_the_query_or_the_last) {
    ModelInfo model;
    model.vocabularySize = 4;
    model.outputs = {"logits"};
    const std::vector<float> logits{9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9};
    const Trace own = causalTraceWith({"logits", {3, 4}, logits});
    EXPECT_EQ(compareOutputs(model, nullptr, own, own, QueryIndex(1), 1).lines.front().label, "1");
    const auto comparison = compareOutputs(model, nullptr, own, own, std::nullopt, 2);
    EXPECT_EQ(comparison.title, "next token after “t2”");
    EXPECT_FALSE(comparison.compared);
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_EQ(comparison.lines[0].label, "3");
    EXPECT_GT(comparison.lines[0].before, 0.99);
    EXPECT_EQ(comparison.divergence, 0.0);
}

// Marks that tokenizers put into pieces for spaces are for machines.
TEST(CompareOutputs, candidates_show_text_with_a_space_mark_and_no_raw_pieces) {
    int compared = 0;
    for (const auto& folder : test::foldersWith("models", "tokenizer.json")) {
        const auto tokenizer = text::Tokenizer::fromFolder(folder);
        ASSERT_TRUE(tokenizer) << tokenizer.error().message;
        const auto words = (*tokenizer)->encode("was the house", std::nullopt, false);
        ASSERT_TRUE(words) << folder;
        ModelInfo model;
        model.vocabularySize = (*tokenizer)->vocabularySize();
        model.outputs = {"logits"};
        std::vector<float> logits(3 * model.vocabularySize);
        for (const text::Token& token : words->tokens)
            logits[2 * model.vocabularySize + static_cast<std::size_t>(token.id)] = 9;
        Trace own = causalTraceWith({"logits", {3, model.vocabularySize}, logits});
        for (TokenLabel& label : own.tokens) label.id = words->tokens.front().id;
        const auto ids = words->ids();
        const std::size_t shown = std::set<std::int64_t>(ids.begin(), ids.end()).size();
        const auto comparison = compareOutputs(model, tokenizer->get(), own, own, QueryIndex(2), shown);
        for (const OutputLine& line : comparison.lines) {
            EXPECT_EQ(line.label.find("▁"), std::string::npos) << folder << line.label;
            EXPECT_EQ(line.label.find("Ġ"), std::string::npos) << folder << line.label;
            EXPECT_FALSE(line.label.empty()) << folder;
        }
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no tokenizers found";
}

TEST(CompareOutputs, what_was_written_after_the_query_is_always_among_the_lines) {
    ModelInfo model;
    model.vocabularySize = 4;
    model.outputs = {"logits"};
    Trace own = causalTraceWith({"logits", {3, 4}, {9, 5, 0, 1, 0, 9, 0, 0, 0, 0, 0, 9}});
    own.tokens[1].generated = own.tokens[2].generated = true;
    own.tokens[1].id = 2;
    own.tokens[2].id = 1;
    const auto lines = compareOutputs(model, nullptr, own, own, QueryIndex(0), 2).lines;
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_FALSE(lines[0].written);
    EXPECT_EQ(lines[1].label, "2");
    EXPECT_TRUE(lines[1].written);
    EXPECT_TRUE(compareOutputs(model, nullptr, own, own, QueryIndex(1), 2).lines[0].written);
}

TEST(CompareOutputs, outputs_of_two_stacks_are_of_the_target) {
    ModelInfo model;
    model.vocabularySize = 4;
    model.decoder = DecoderInfo{.layers = 1, .heads = 1, .keyValueHeads = 1, .vocabularySize = 4};
    model.outputs = {"logits"};
    Trace own = traceWith({"logits", {2, 4}, {9, 0, 0, 0, 0, 9, 0, 0}});
    own.targetTokens.resize(2);
    own.targetTokens[1].text = "zwei";
    own.targetTokens[1].generated = true;
    const auto comparison = compareOutputs(model, nullptr, own, own, QueryIndex(1), 1);
    EXPECT_EQ(comparison.title, "next token after “zwei”");
    EXPECT_EQ(comparison.lines.front().label, "1");
    // A query of the encoder says nothing of the answer: the last position is shown.
    const auto source = scoresFromMatrix(1, 2, 2, {0, 0, 0, 0});
    own.records = {{{"encoder.0", SiteKind::Encoder, LayerIndex(0), 1, 1}, source, {}},
                   {{"cross.0", SiteKind::Cross, LayerIndex(0), 1, 1}, source, {}}};
    EXPECT_FALSE(outputQuery(own, SiteIndex(0), QueryIndex(1)));
    EXPECT_EQ(outputQuery(own, SiteIndex(1), QueryIndex(1)), QueryIndex(1));
}

TEST(CompareOutputs, masked_model_gives_the_token_at_the_query) {
    ModelInfo model;
    model.vocabularySize = 4;
    model.outputs = {"logits"};
    const Trace own = traceWith({"logits", {3, 4}, {9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9}});
    const auto comparison = compareOutputs(model, nullptr, own, own, QueryIndex(1), 1);
    EXPECT_EQ(comparison.title, "token at “t1”");
    ASSERT_EQ(comparison.lines.size(), 1U);
    EXPECT_EQ(comparison.lines[0].label, "1");
}

TEST(CompareOutputs, other_models_give_the_change_of_the_last_hidden_state) {
    ModelInfo model;
    model.outputs = {"last_hidden_state"};
    const Trace own = traceWith({"last_hidden_state", {3, 2}, {1, 0, 0, 1, 1, 1}});
    const Trace changed = traceWith({"last_hidden_state", {3, 2}, {1, 0, 1, 0, 1, 1}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(1));
    ASSERT_EQ(comparison.lines.size(), 4U);
    EXPECT_EQ(comparison.lines[0].before, 1.0);
    EXPECT_NEAR(comparison.lines[0].after, 0.75, 1e-12);
    EXPECT_NEAR(comparison.lines[1].after, std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(comparison.lines[2].after, 0.0, 1e-12);
    EXPECT_NEAR(comparison.lines[3].after, std::sqrt(2.0), 1e-12);
    EXPECT_EQ(comparison.divergence, 0.0);
}

TEST(CompareOutputs, padding_does_not_count) {
    ModelInfo model;
    model.outputs = {"last_hidden_state"};
    Trace own = traceWith({"last_hidden_state", {3, 1}, {1, 2, 3}});
    Trace changed = traceWith({"last_hidden_state", {3, 1}, {1, 2, 300}});
    own.tokens[2].padding = changed.tokens[2].padding = true;
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(0));
    EXPECT_EQ(comparison.lines[0].after, 1.0);
    EXPECT_EQ(comparison.lines[1].after, 0.0);
}

TEST(CompareOutputs, labels_that_may_hold_at_once_have_probabilities_of_their_own) {
    ModelInfo model;
    model.labels = {"coat", "shoe"};
    model.outputs = {"logits"};
    model.multiLabel = true;
    const Trace own = traceWith({"logits", {2}, {std::log(3.0F), std::log(4.0F)}});
    const Trace changed = traceWith({"logits", {2}, {-std::log(3.0F), std::log(4.0F)}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(0));
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_EQ(comparison.lines[0].label, "shoe");
    EXPECT_NEAR(comparison.lines[0].before, 0.8, 1e-7);
    EXPECT_NEAR(comparison.lines[1].before, 0.75, 1e-7);
    EXPECT_NEAR(comparison.lines[1].after, 0.25, 1e-7);
    // One label of two turned from 3/4 to 1/4: ln 2 less the entropy of a quarter, over two labels.
    const double entropy = -0.25 * std::log(0.25) - 0.75 * std::log(0.75);
    EXPECT_NEAR(comparison.divergence, (std::log(2.0) - entropy) / 2, 1e-7);
    EXPECT_EQ(compareOutputs(model, nullptr, own, own, QueryIndex(0)).divergence, 0.0);
}

TEST(CompareOutputs, a_patch_is_called_by_row_and_column) {
    ModelInfo model;
    model.outputs = {"last_hidden_state"};
    Trace own = traceWith({"last_hidden_state", {3, 2}, {1, 0, 0, 1, 1, 1}});
    own.grid = PatchGrid{1, 2, 1};
    own.tokens.clear();
    const auto at = [&](std::size_t query) {
        return compareOutputs(model, nullptr, own, own, QueryIndex(query)).lines.at(2).label;
    };
    EXPECT_EQ(at(2), "cosine at patch “0,1”");
    EXPECT_EQ(at(0), "cosine at “0”");
}

TEST(CompareOutputs, the_embedding_of_a_picture_changes_as_a_whole) {
    ModelInfo model;
    model.outputs = {"image_embeds", "last_hidden_state"};
    const Trace own = traceWith({"image_embeds", {2}, {3, 4}});
    const Trace changed = traceWith({"image_embeds", {2}, {-4, 3}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(0));
    EXPECT_EQ(comparison.title, "image embeds");
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_NEAR(comparison.lines[0].after, 0.0, 1e-12);
    EXPECT_NEAR(comparison.lines[1].after, std::sqrt(2.0), 1e-12);
}

TEST(CompareOutputs, a_classifier_of_tokens_gives_the_labels_of_the_query) {
    ModelInfo model;
    model.vocabularySize = 9;
    model.labels = {"other", "person"};
    model.outputs = {"logits"};
    const Trace own = traceWith({"logits", {3, 2}, {9, 0, 0, std::log(3.0F), 9, 0}});
    const Trace changed = traceWith({"logits", {3, 2}, {9, 0, 0, 0, 9, 0}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(1));
    EXPECT_EQ(comparison.title, "label of “t1”");
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_EQ(comparison.lines[0].label, "person");
    EXPECT_NEAR(comparison.lines[0].before, 0.75, 1e-7);
    EXPECT_NEAR(comparison.lines[0].after, 0.5, 1e-7);
    EXPECT_GT(comparison.divergence, 0.0);
}

TEST(CompareOutputs, replaced_tokens_stand_in_their_order_behind_the_one_that_is_asked_about) {
    ModelInfo model;
    model.vocabularySize = 9;
    model.outputs = {"logits"};
    Trace own = traceWith({"logits", {3}, {-std::log(3.0F), 0, std::log(3.0F)}});
    Trace changed = traceWith({"logits", {3}, {0, 0, std::log(3.0F)}});
    auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(0));
    EXPECT_EQ(comparison.title, "replaced tokens");
    EXPECT_EQ(comparison.unit, "probability");
    ASSERT_EQ(comparison.lines.size(), 3U);
    const OutputLine expected[] = {{"“t0”", 0.25, 0.5}, {"“t2”", 0.75, 0.75}, {"“t1”", 0.5, 0.5}};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(comparison.lines[i].label, expected[i].label);
        EXPECT_NEAR(comparison.lines[i].before, expected[i].before, 1e-7);
        EXPECT_NEAR(comparison.lines[i].after, expected[i].after, 1e-7);
    }
    EXPECT_GT(comparison.divergence, 0.0);
    own.tokens[0].padding = changed.tokens[0].padding = true;
    comparison = compareOutputs(model, nullptr, own, changed, std::nullopt);
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_EQ(comparison.lines[0].label, "“t2”");
    EXPECT_EQ(comparison.divergence, 0.0);
}

TEST(CompareOutputs, pre_training_gives_the_token_at_the_query_and_whether_the_texts_belong_together) {
    ModelInfo model;
    model.vocabularySize = 4;
    model.outputs = {"prediction_logits", "seq_relationship_logits"};
    Trace own = traceWith({"prediction_logits", {3, 4}, {9, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 9}});
    own.outputs.push_back({"seq_relationship_logits", {2}, {std::log(4.0F), 0}});
    Trace changed = own;
    changed.outputs[1].values = {0, 0};
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(1), 2);
    EXPECT_EQ(comparison.title, "token at “t1”");
    ASSERT_EQ(comparison.lines.size(), 2U);
    EXPECT_EQ(comparison.lines[0].label, "the next sentence");
    EXPECT_NEAR(comparison.lines[0].before, 0.8, 1e-7);
    EXPECT_NEAR(comparison.lines[0].after, 0.5, 1e-7);
    EXPECT_EQ(comparison.lines[1].label, "1");
}

TEST(CompareOutputs, the_embedding_of_a_text_stands_before_the_state_at_the_query) {
    ModelInfo model;
    model.outputs = {"last_hidden_state", "sentence_embedding"};
    Trace own = traceWith({"last_hidden_state", {3, 2}, {1, 0, 0, 1, 1, 1}});
    own.outputs.push_back({"sentence_embedding", {2}, {3, 4}});
    Trace changed = traceWith({"last_hidden_state", {3, 2}, {1, 0, 1, 0, 1, 1}});
    changed.outputs.push_back({"sentence_embedding", {2}, {-4, 3}});
    const auto comparison = compareOutputs(model, nullptr, own, changed, QueryIndex(1));
    EXPECT_EQ(comparison.title, "sentence embedding");
    EXPECT_EQ(comparison.unit, "cosine");
    ASSERT_EQ(comparison.lines.size(), 4U);
    EXPECT_EQ(comparison.lines[0].label, "cosine");
    EXPECT_NEAR(comparison.lines[0].after, 0.0, 1e-12);
    EXPECT_NEAR(comparison.lines[1].after, std::sqrt(2.0), 1e-12);
    EXPECT_EQ(comparison.lines[2].label, "cosine at “t1”");
    EXPECT_NEAR(comparison.lines[2].after, 0.0, 1e-12);
}

TEST(CompareOutputs, the_same_run_shows_no_change) {
    ModelInfo model;
    model.outputs = {"last_hidden_state"};
    const Trace own = traceWith({"last_hidden_state", {3, 2}, {0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F}});
    for (const OutputLine& line : compareOutputs(model, nullptr, own, own, QueryIndex(2)).lines) {
        EXPECT_EQ(line.before, line.after) << line.label;
    }
}

}  // namespace
}  // namespace fovea::session
