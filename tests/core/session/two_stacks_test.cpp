// SPDX-License-Identifier: GPL-3.0-or-later
// A model that reads one text and writes another: whose positions are queries, whose are keys.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/session/evaluation.h"
#include "core/session/query_choice.h"
#include "core/session/writing.h"

namespace fovea::session {

namespace {

constexpr std::size_t source = 5;
constexpr std::size_t target = 3;
const SiteIndex encoder(0);
const SiteIndex decoder(1);
const SiteIndex cross(2);

std::vector<float> waves(std::size_t count) {
    std::vector<float> scores(count);
    for (std::size_t i = 0; i < count; ++i) scores[i] = static_cast<float>(2 * std::sin(1.7 * i));
    return scores;
}

QueriesAndKeys causal(std::size_t positions, std::size_t window, std::vector<bool> visible = {}) {
    QueriesAndKeys recorded{1, 1, positions, positions, 1, 1, waves(positions), waves(positions)};
    recorded.maskKind = MaskKind::Causal;
    recorded.window = window;
    recorded.keyVisible = std::move(visible);
    return recorded;
}

TokenLabel label(const char* text, bool special = false, bool written = false) {
    TokenLabel made;
    made.text = made.piece = text;
    made.special = special;
    made.generated = written;
    return made;
}

Trace twoStacks() {
    Trace trace;
    for (const char* text : {"das", "ist", "ein", "Haus"}) trace.tokens.push_back(label(text));
    trace.tokens.push_back(label("</s>", true));
    trace.targetTokens = {label("<s>", true), label("a", false, true), label("house", false, true)};
    trace.records = {
        {{"encoder.0", SiteKind::Encoder, LayerIndex(0), 1, 1},
         scoresFromMatrix(1, source, source, waves(source * source)), {}},
        {{"decoder.0", SiteKind::Decoder, LayerIndex(0), 1, 1},
         scoresFromQueriesAndKeys(causal(target, 0)), {}},
        {{"cross.0", SiteKind::Cross, LayerIndex(0), 1, 1},
         scoresFromMatrix(1, target, source, waves(target * source)), {}}};
    return trace;
}

}  // namespace

TEST(TwoStacks, a_row_of_a_cross_site_sums_to_one_over_the_source) {
    const Trace trace = twoStacks();
    for (const double alpha : {1.0, 1.5, 2.0}) {
        MechanismChoice mechanism;
        mechanism.weights.alpha = alpha;
        const auto matrix = evaluateMatrix(trace, {cross, HeadIndex(0), QueryIndex(0)}, mechanism, {});
        ASSERT_TRUE(matrix);
        EXPECT_EQ(matrix->queries, target);
        EXPECT_EQ(matrix->keys, source);
        for (std::size_t query = 0; query < target; ++query) {
            const auto row = evaluateRow(trace, trace, {cross, HeadIndex(0), QueryIndex(query)}, mechanism);
            ASSERT_TRUE(row);
            ASSERT_EQ(row->weights.size(), source);
            EXPECT_NEAR(std::accumulate(row->weights.begin(), row->weights.end(), 0.0), 1, 1e-12);
            for (std::size_t key = 0; key < source; ++key)
                EXPECT_NEAR(row->weights[key], matrix->weights[query * source + key], 1e-6);
        }
    }
    EXPECT_FALSE(evaluateRow(trace, trace, {cross, HeadIndex(0), QueryIndex(target)}, {}));
}

TEST(TwoStacks, a_density_of_a_target_query_lies_over_the_source) {
    Trace trace = twoStacks();
    trace.tokens[4].padding = true;
    // Padding of the source is no part of its text, and padding of the target says nothing of the keys.
    trace.targetTokens[2].padding = true;
    MechanismChoice mechanism;
    mechanism.domain = Domain::Continuous;
    const auto row = evaluateRow(trace, trace, {cross, HeadIndex(0), QueryIndex(1)}, mechanism);
    ASSERT_TRUE(row);
    ASSERT_TRUE(row->interval);
    EXPECT_EQ(row->interval->massOfToken.size(), source - 1);
    EXPECT_GE(row->interval->samples.front().x, 0);
    EXPECT_LE(row->interval->samples.back().x, static_cast<double>(source - 1));
}

TEST(TwoStacks, queries_are_found_among_the_tokens_of_their_axis) {
    const Trace trace = twoStacks();
    EXPECT_EQ(findQuery(trace, cross, "house")->value, 2U);
    EXPECT_EQ(findQuery(trace, decoder, "house")->value, 2U);
    EXPECT_EQ(findQuery(trace, encoder, "Haus")->value, 3U);
    EXPECT_FALSE(findQuery(trace, cross, "Haus"));
    EXPECT_FALSE(findQuery(trace, encoder, "house"));
    EXPECT_TRUE(haveOtherQueries(trace, encoder, cross));
    EXPECT_FALSE(haveOtherQueries(trace, decoder, cross));
}

TEST(TwoStacks, the_first_written_token_that_is_not_special_is_looked_at_first) {
    Trace trace = twoStacks();
    EXPECT_EQ(defaultQuery(trace, cross).value, 1U);
    EXPECT_EQ(defaultQuery(trace, decoder).value, 1U);
    EXPECT_EQ(defaultQuery(trace, encoder).value, 0U);
    trace.targetTokens[1].special = true;
    EXPECT_EQ(defaultQuery(trace, cross).value, 2U);
    for (TokenLabel& token : trace.targetTokens) token.special = true;
    EXPECT_EQ(defaultQuery(trace, cross).value, 0U);
}

TEST(TwoStacks, a_step_is_the_position_whose_next_token_was_written) {
    Trace trace = twoStacks();
    EXPECT_EQ(writtenSteps(trace).first, 0U);
    EXPECT_EQ(writtenSteps(trace).count(), 2U);
    EXPECT_TRUE(writesAtQueries(trace, cross));
    EXPECT_FALSE(writesAtQueries(trace, encoder));
    for (TokenLabel& token : trace.targetTokens) token.generated = false;
    EXPECT_EQ(writtenSteps(trace).count(), 0U);
    Trace decoderAlone;
    decoderAlone.tokens = {label("once"), label("upon", false, true), label("a", false, true)};
    EXPECT_EQ(writtenSteps(decoderAlone).first, 0U);
    EXPECT_EQ(writtenSteps(decoderAlone).past, 2U);
}

TEST(TwoStacks, stepping_stops_at_the_ends_and_comes_in_from_elsewhere) {
    const Trace trace = twoStacks();
    const Selection first{cross, HeadIndex(0), QueryIndex(0)};
    EXPECT_EQ(steppedWritten(trace, first, 1)->query, QueryIndex(1));
    EXPECT_EQ(steppedWritten(trace, first, 5)->query, QueryIndex(1));
    EXPECT_EQ(steppedWritten(trace, first, -1)->query, QueryIndex(0));
    EXPECT_EQ(steppedWritten(trace, {cross, HeadIndex(0), QueryIndex(2)}, -1)->query, QueryIndex(1));
    const auto fromSource = steppedWritten(trace, {encoder, HeadIndex(0), QueryIndex(4)}, 1);
    EXPECT_EQ(fromSource->site, cross);
    EXPECT_EQ(fromSource->query, QueryIndex(0));
    Trace read = trace;
    for (TokenLabel& token : read.targetTokens) token.generated = false;
    EXPECT_FALSE(steppedWritten(read, first, 1));
    EXPECT_EQ(movedTo(trace, first, decoder).query, QueryIndex(0)) << "a decoder's queries are the same";
    EXPECT_EQ(movedTo(trace, first, encoder).query, defaultQuery(trace, encoder));
    EXPECT_EQ(defaultSite(trace), cross);
}

TEST(Writing, is_wanted_of_answers_and_where_new_tokens_are_asked_for) {
    ModelInfo model;
    TextInput input{"a text", std::nullopt};
    EXPECT_FALSE(wantedWriting(model, input)) << "a model that writes nothing";
    model.generates = true;
    EXPECT_FALSE(wantedWriting(model, input));
    EXPECT_EQ(usualWriting(model).newTokens, 0U);
    input.generation.newTokens = 5;
    EXPECT_EQ(wantedWriting(model, input)->newTokens, 5U);
    model.decoder = DecoderInfo{};
    input.generation.newTokens = 0;
    EXPECT_EQ(wantedWriting(model, input)->newTokens, 64U);
    model.maxPositions = 20;
    EXPECT_EQ(wantedWriting(model, input)->newTokens, 19U) << "the start token takes one";
    EXPECT_EQ(usualWriting(model).newTokens, 19U);
    input.generation.newTokens = 1000;
    EXPECT_EQ(wantedWriting(model, input)->newTokens, 19U);
    input.target = "ein Ziel";
    EXPECT_FALSE(wantedWriting(model, input)) << "a given target is read";
}

TEST(Writing, is_told_as_text_without_tokenizer_by_ids) {
    Trace trace = twoStacks();
    trace.targetTokens[1].id = 7;
    trace.targetTokens[2].id = 9;
    EXPECT_EQ(writtenText(nullptr, trace.targetTokens), "7 9");
    EXPECT_EQ(writtenText(nullptr, trace.tokens), "");
}

TEST(SlidingWindow, keys_beyond_it_are_masked_and_still_of_the_text) {
    Trace trace;
    for (const char* text : {"a", "b", "c", "d", "e", "f"}) trace.tokens.push_back(label(text));
    trace.records = {{{"layer.0", SiteKind::Encoder, LayerIndex(0), 1, 1},
                      scoresFromQueriesAndKeys(causal(6, 2, {false, true, true, true, true, true})), {}}};
    MechanismChoice mechanism;
    const Selection last{SiteIndex(0), HeadIndex(0), QueryIndex(5)};
    const auto row = evaluateRow(trace, trace, last, mechanism);
    ASSERT_TRUE(row);
    EXPECT_EQ(row->visibleKeys, 2U);
    EXPECT_EQ(row->states[3], WeightState::Masked);
    EXPECT_EQ(row->states[4], WeightState::Positive);
    // Only the padding is left out of the text that a density lies over.
    mechanism.domain = Domain::Continuous;
    const auto density = evaluateRow(trace, trace, last, mechanism);
    ASSERT_TRUE(density);
    EXPECT_EQ(density->interval->massOfToken.size(), 5U);
}

}  // namespace fovea::session
