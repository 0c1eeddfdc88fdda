// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/word_groups.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "core/analysis/divergence.h"
#include "core/session/evaluation.h"
#include "core/session/interval.h"
#include "core/session/query_choice.h"
#include "tests/support/synthetic_trace.h"

namespace fovea::session {
namespace {

using test::scoresOfWeights;
using test::traceOfScores;
using test::variedScores;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr int alone = -1;

// The same random cases in every run, unless others are asked for. RapidCheck reads it at the first property.
[[maybe_unused]] const int asked = setenv("RC_PARAMS", "seed=20 max_success=500", 0);

// Words of a trace's tokens by number.
Trace withWords(Trace trace, const std::vector<int>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] >= 0) trace.tokens.at(i).word = static_cast<std::uint32_t>(words[i]);
    }
    return trace;
}

Selection byWords(std::size_t query, std::vector<std::size_t> more = {}) {
    Selection selection{SiteIndex(0), HeadIndex(0), QueryIndex(query)};
    for (const std::size_t further : more) selection.more.emplace_back(further);
    selection.words = true;
    return selection;
}

Selection byTokens(Selection selection) {
    selection.words = false;
    return selection;
}

MechanismChoice discrete(double alpha) {
    MechanismChoice choice;
    choice.weights.alpha = alpha;
    return choice;
}

double sumOf(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

TEST(WordGroups, tokens_of_one_word_that_follow_each_other_are_one) {
    const Trace trace = withWords(traceOfScores({variedScores(7, 7, 1)}), {alone, 0, 0, 1, alone, 1, 2});
    const WordGroups groups(trace.tokens);
    EXPECT_EQ(groups.count(), 6U);
    EXPECT_EQ(groups.groupOf(2), 1U);
    EXPECT_EQ(groups.firstOf(1), 1U);
    EXPECT_EQ(groups.pastOf(1), 3U);
    EXPECT_NE(groups.groupOf(3), groups.groupOf(5));
}

TEST(WordGroups, words_of_two_texts_and_padding_never_join) {
    Trace trace = withWords(traceOfScores({variedScores(5, 5, 1)}), {3, 3, 3, 3, 3});
    trace.tokens[2].sequence = trace.tokens[3].sequence = trace.tokens[4].sequence = 1;
    trace.tokens[4].padding = true;
    const WordGroups groups(trace.tokens);
    EXPECT_EQ(groups.count(), 3U);
    EXPECT_EQ(groups.sizeOf(0), 2U);
    EXPECT_EQ(groups.sizeOf(2), 1U);
}

TEST(WordGroups, labels_that_do_not_fit_leave_positions_as_they_are) {
    Trace trace = withWords(traceOfScores({variedScores(3, 3, 1)}), {0, 0, 0});
    trace.tokens.pop_back();
    EXPECT_EQ(wordAxes(trace, SiteIndex(0)).keys, WordGroups::ofSinglePositions(3));
}

TEST(WordGroups, a_patch_grid_moves_with_the_text_before_it) {
    Trace trace = withWords(traceOfScores({variedScores(7, 7, 1)}), {0, 0, 0, alone, alone, alone, alone});
    trace.grid = PatchGrid{2, 2, 3};
    const auto words = tracedByWords(trace);
    EXPECT_EQ(words->grid->first, 1U);
    EXPECT_EQ(words->tokens.size(), 5U);
    const auto row = evaluateRow(trace, trace, byWords(4), discrete(1));
    ASSERT_TRUE(row);
    const auto tokens = evaluateRow(trace, trace, byTokens(byWords(4)), discrete(1));
    EXPECT_NEAR(row->picture->patchMass, tokens->picture->patchMass, 1e-12);
    EXPECT_EQ(row->selection.query, QueryIndex(2));
}

TEST(RowByWords, is_the_sum_over_keys_and_the_mean_over_queries) {
    const std::vector<std::vector<double>> weights{
        {0.5, 0.25, 0.25, 0}, {0.125, 0.125, 0.25, 0.5}, {0.25, 0.25, 0.375, 0.125}, {1, 0, 0, 0}};
    const Trace trace = withWords(traceOfScores({scoresOfWeights(weights)}), {0, 1, 1, 2});
    const auto row = evaluateRow(trace, trace, byWords(2), discrete(1));
    ASSERT_TRUE(row) << row.error().message;
    ASSERT_EQ(row->weights.size(), 3U);
    EXPECT_NEAR(row->weights[0], (0.125 + 0.25) / 2, 1e-7);
    EXPECT_NEAR(row->weights[1], (0.375 + 0.625) / 2, 1e-7);
    EXPECT_NEAR(row->weights[2], (0.5 + 0.125) / 2, 1e-7);
    EXPECT_EQ(row->selection.query, QueryIndex(1));
    EXPECT_EQ(row->largest, KeyIndex(1));
    EXPECT_EQ(row->support, 3U);
    EXPECT_NEAR(row->entropy, shannonEntropy(row->weights), 1e-12);
}

TEST(RowByWords, any_token_of_a_word_asks_the_same) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 3)}), {0, 0, 0, 1, 2, 2});
    const auto first = evaluateRow(trace, trace, byWords(0), discrete(1.5));
    for (const std::size_t query : {1U, 2U})
        EXPECT_EQ(evaluateRow(trace, trace, byWords(query), discrete(1.5))->weights, first->weights);
    // A second token of the same word is no second query.
    const auto both = evaluateRow(trace, trace, byWords(0, {1, 2}), discrete(1.5));
    EXPECT_EQ(both->weights, first->weights);
    EXPECT_TRUE(both->selection.more.empty());
}

TEST(RowByWords, is_the_row_of_tokens_where_every_token_is_a_word) {
    for (const bool numbered : {false, true}) {
        Trace trace = traceOfScores({variedScores(5, 5, 7)});
        if (numbered) trace = withWords(trace, {0, 1, 2, 3, 4});
        for (const double alpha : {1.0, 1.5, 2.0}) {
            const auto words = evaluateRow(trace, trace, byWords(3), discrete(alpha));
            const auto tokens = evaluateRow(trace, trace, byTokens(byWords(3)), discrete(alpha));
            EXPECT_EQ(words->weights, tokens->weights);
            EXPECT_EQ(words->states, tokens->states);
            EXPECT_EQ(words->support, tokens->support);
            EXPECT_EQ(words->divergence, tokens->divergence);
            EXPECT_EQ(std::isnan(words->threshold), std::isnan(tokens->threshold));
        }
    }
}

TEST(RowByWords, divergence_is_that_of_the_grouped_rows) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 5)}), {0, 0, 1, 1, 1, 2});
    const auto sparse = evaluateRow(trace, trace, byWords(3), discrete(2));
    const auto soft = evaluateRow(trace, trace, byWords(3), discrete(1));
    EXPECT_DOUBLE_EQ(sparse->divergence, jensenShannon(sparse->weights, soft->weights));
    EXPECT_EQ(soft->divergence, 0.0);
}

TEST(RowByWords, a_word_is_masked_when_all_of_its_keys_are) {
    const Trace trace = withWords(
        traceOfScores({{{1, -infinity, -infinity, 0}, {1, -infinity, -infinity, -infinity},
                        {1, 0, 0, 0}, {1, 0, 0, 0}}}),
        {0, 1, 1, 2});
    const auto row = evaluateRow(trace, trace, byWords(0), discrete(1));
    EXPECT_EQ(row->states[1], WeightState::Masked);
    EXPECT_EQ(row->visibleKeys, 2U);
    const auto word = evaluateRow(trace, trace, byWords(1), discrete(1));  // one of its queries sees it
    EXPECT_EQ(word->states[1], WeightState::Positive);
}

TEST(RowByWords, a_word_is_exactly_zero_only_when_all_of_its_keys_are) {
    const Trace trace = withWords(traceOfScores({{{9, 0, -infinity, 0, 8.9F},
                                                  {9, 0, 0, 0, 0},
                                                  {9, 0, 0, 0, 0},
                                                  {9, 0, 0, 0, 0},
                                                  {9, 0, 0, 0, 0}}}),
                                  {0, 1, 1, 2, 2});
    const auto row = evaluateRow(trace, trace, byWords(0), discrete(2));
    EXPECT_EQ(row->states[1], WeightState::ExactZero);
    EXPECT_EQ(row->states[2], WeightState::Positive);
    EXPECT_EQ(row->support, 2U);
}

TEST(RowByWords, not_a_number_spreads_over_the_word_that_asks) {
    const Trace trace = withWords(traceOfScores({{{1, 0, 0}, {nan, 0, 0}, {1, 0, 0}}}), {0, 0, 1});
    EXPECT_EQ(evaluateRow(trace, trace, byWords(0), discrete(1))->state, RowState::Invalid);
    EXPECT_EQ(evaluateRow(trace, trace, byWords(2), discrete(1))->state, RowState::Ok);
    const auto row = evaluateRow(trace, trace, byWords(1), discrete(1));
    for (const double weight : row->weights) EXPECT_TRUE(std::isnan(weight));
}

TEST(RowByWords, empty_rows_are_left_out_of_the_mean_unless_all_are) {
    const std::vector<float> none(3, -infinity);
    const Trace trace = withWords(traceOfScores({{none, {1, 2, 3}, none}}), {0, 0, 1});
    const auto row = evaluateRow(trace, trace, byWords(0), discrete(1));
    EXPECT_EQ(row->state, RowState::Ok);
    EXPECT_NEAR(row->rowSum, 1.0, 1e-14);
    EXPECT_EQ(evaluateRow(trace, trace, byWords(2), discrete(1))->state, RowState::Empty);
}

TEST(RowByWords, several_words_are_pooled_as_several_queries_are) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 9)}), {0, 0, 1, 2, 2, 3});
    const auto a = evaluateRow(trace, trace, byWords(0), discrete(1.5));
    const auto b = evaluateRow(trace, trace, byWords(4), discrete(1.5));
    for (const QueryPooling pooling : {QueryPooling::Mean, QueryPooling::Sum, QueryPooling::Max}) {
        Selection selection = byWords(1, {3, 4});
        selection.pooling = pooling;
        const auto both = evaluateRow(trace, trace, selection, discrete(1.5));
        EXPECT_EQ(both->selection.more, std::vector<QueryIndex>{QueryIndex(2)});
        for (std::size_t key = 0; key < both->weights.size(); ++key) {
            const double sum = a->weights[key] + b->weights[key];
            const double wanted = pooling == QueryPooling::Mean  ? sum / 2
                                  : pooling == QueryPooling::Sum ? sum
                                                                 : std::max(a->weights[key], b->weights[key]);
            EXPECT_NEAR(both->weights[key], wanted, 1e-15);
        }
    }
}

TEST(RowByWords, a_density_lies_over_words) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 11)}), {0, 0, 0, 1, 2, 2});
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    const auto row = evaluateRow(trace, trace, byWords(3), choice);
    ASSERT_TRUE(row) << row.error().message;
    ASSERT_EQ(row->weights.size(), 3U);
    EXPECT_EQ(row->interval->massOfToken.size(), 3U);
    double mean = 0;
    for (std::size_t word = 0; word < 3; ++word)
        mean += row->weights[word] * (static_cast<double>(word) + 0.5);
    EXPECT_NEAR(row->interval->mean, mean, 1e-9);
    const auto density = densityOverText(row->weights, choice);
    EXPECT_NEAR(row->interval->peak, density->peak() / 3, 1e-12);
}

TEST(RowByWords, padding_is_no_part_of_the_words_of_a_density) {
    Trace trace = withWords(test::paddedTrace(variedScores(4, 4, 2), 2), {0, 0, 1, 2});
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    const auto row = evaluateRow(trace, trace, byWords(0), choice);
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(row->weights.size(), 5U);
    EXPECT_EQ(row->interval->massOfToken.size(), 3U);
}

// Words of random lengths, sometimes none.
rc::Gen<std::vector<int>> wordsOf(std::size_t tokens) {
    return rc::gen::map(rc::gen::container<std::vector<int>>(tokens, rc::gen::inRange(0, 4)),
                        [](std::vector<int> steps) {
                            int word = 0;
                            for (int& step : steps) {
                                if (step > 1) ++word;
                                step = step == 3 ? alone : word;
                            }
                            return steps;
                        });
}

RC_GTEST_PROP(RowByWords, sums_to_one_and_agrees_with_the_matrix_in_either_order, (unsigned seed)) {
    const std::size_t tokens = *rc::gen::inRange<std::size_t>(1, 14);
    const double alpha = *rc::gen::element(1.0, 1.5, 2.0, 3.0);
    const Trace trace =
        withWords(traceOfScores({variedScores(tokens, tokens, seed % 1000 + 1)}), *wordsOf(tokens));
    const auto plain = evaluateMatrix(trace, byTokens(byWords(0)), discrete(alpha), {});
    const auto matrix = evaluateMatrix(trace, byWords(0), discrete(alpha), {});
    const WordAxes axes = wordAxes(trace, SiteIndex(0));
    RC_ASSERT(matrix.has_value() && matrix->queries == axes.queries.count());
    for (std::size_t query = 0; query < tokens; ++query) {
        const auto row = evaluateRow(trace, trace, byWords(query), discrete(alpha));
        RC_ASSERT(row.has_value());
        RC_ASSERT(std::abs(sumOf(row->weights) - 1) < 1e-12);
        const std::size_t group = axes.queries.groupOf(query);
        for (std::size_t word = 0; word < matrix->keys; ++word) {
            // Keys first, then queries, on the matrix of tokens.
            double wanted = 0;
            for (std::size_t q = axes.queries.firstOf(group); q < axes.queries.pastOf(group); ++q) {
                for (std::size_t k = axes.keys.firstOf(word); k < axes.keys.pastOf(word); ++k)
                    wanted += static_cast<double>(plain->weights[q * tokens + k]);
            }
            wanted /= static_cast<double>(axes.queries.sizeOf(group));
            RC_ASSERT(std::abs(row->weights[word] - wanted) < 1e-6);
            const std::size_t cell = group * matrix->keys + word;
            RC_ASSERT(std::abs(static_cast<double>(matrix->weights[cell]) - row->weights[word]) < 1e-7);
            RC_ASSERT(matrix->states[cell] == row->states[word]);
        }
    }
}

RC_GTEST_PROP(WordGroups, every_position_is_in_one_group_and_groups_follow_each_other, (unsigned seed)) {
    const std::size_t tokens = *rc::gen::inRange<std::size_t>(1, 40);
    const Trace trace = withWords(traceOfScores({variedScores(1, tokens, seed % 100 + 1)}), *wordsOf(tokens));
    const WordGroups groups(trace.tokens);
    std::size_t next = 0;
    for (std::size_t group = 0; group < groups.count(); ++group) {
        RC_ASSERT(groups.firstOf(group) == next && groups.sizeOf(group) > 0);
        for (; next < groups.pastOf(group); ++next) RC_ASSERT(groups.groupOf(next) == group);
    }
    RC_ASSERT(next == tokens);
    RC_ASSERT(groups.labels(trace.tokens).size() == groups.count());
}

TEST(MatrixByWords, agrees_with_its_rows_in_every_domain_and_state) {
    const std::vector<float> none(5, -infinity);
    const Trace trace = withWords(
        traceOfScores({{{1, 2, 0, -infinity, 1}, none, none, {nan, 0, 0, 0, 0}, {2, -infinity, 0, 9, 1}}}),
        {0, 0, 1, 2, 3});
    for (const Domain domain : {Domain::Discrete, Domain::Continuous}) {
        MechanismChoice choice;
        choice.domain = domain;
        const auto matrix = evaluateMatrix(trace, byWords(0), choice, {});
        ASSERT_TRUE(matrix) << matrix.error().message;
        const std::vector<RowState> states{RowState::Ok, RowState::Empty, RowState::Invalid, RowState::Ok};
        EXPECT_EQ(matrix->rowStates, states);
        for (std::size_t query = 0; query < 5; ++query) {
            const auto row = evaluateRow(trace, trace, byWords(query), choice);
            const std::size_t group = row->selection.query.value;
            EXPECT_EQ(row->state, states[group]);
            if (row->state != RowState::Ok) continue;
            const auto& wanted = domain == Domain::Discrete ? row->weights : row->interval->massOfToken;
            for (std::size_t key = 0; key < matrix->keys; ++key)
                EXPECT_NEAR(matrix->weights[group * matrix->keys + key], wanted[key], 1e-6);
        }
    }
}

TEST(RowByWords, tells_what_each_token_has_of_it) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 5)}), {0, 0, 1, 1, 1, 2});
    const auto row = evaluateRow(trace, trace, byWords(3), discrete(1.5));
    ASSERT_EQ(row->tokenWeights.size(), 6U);
    EXPECT_NEAR(row->tokenWeights[0] + row->tokenWeights[1], row->weights[0], 1e-15);
    EXPECT_NEAR(sumOf(row->tokenWeights), 1, 1e-14);
    EXPECT_TRUE(evaluateRow(trace, trace, byTokens(byWords(3)), discrete(1.5))->tokenWeights.empty());
}

TEST(QueriesByWords, steps_go_from_word_to_word_and_stop_at_the_ends) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 5)}), {0, 0, 1, 1, 1, 2});
    EXPECT_EQ(stepped(trace, byWords(1), 1).query, QueryIndex(2));
    EXPECT_EQ(stepped(trace, byWords(4), 1).query, QueryIndex(5));
    EXPECT_EQ(stepped(trace, byWords(4), -1).query, QueryIndex(0));
    EXPECT_EQ(stepped(trace, byWords(5), 3).query, QueryIndex(5));
    // A step that leads nowhere leaves the token that was asked about.
    EXPECT_EQ(stepped(trace, byWords(1), -1).query, QueryIndex(1));
    EXPECT_EQ(stepped(trace, byTokens(byWords(1)), 1).query, QueryIndex(2));
    EXPECT_EQ(stepped(trace, byTokens(byWords(3)), -2).query, QueryIndex(1));
}

TEST(QueriesByWords, any_token_of_a_word_takes_it_out_and_the_last_one_stays) {
    const Trace trace = withWords(traceOfScores({variedScores(6, 6, 5)}), {0, 0, 1, 1, 1, 2});
    const Selection two = toggled(trace, byWords(0), QueryIndex(3));
    EXPECT_EQ(two.more, std::vector<QueryIndex>{QueryIndex(3)});
    EXPECT_TRUE(toggled(trace, two, QueryIndex(4)).more.empty());
    EXPECT_EQ(toggled(trace, two, QueryIndex(1)).query, QueryIndex(3));
    EXPECT_EQ(toggled(trace, byWords(0), QueryIndex(1)), byWords(0));
    EXPECT_EQ(toggled(trace, byTokens(byWords(0)), QueryIndex(1)).more,
              std::vector<QueryIndex>{QueryIndex(1)});
}

TEST(QueriesByWords, are_found_by_the_text_of_a_token_first_then_of_a_word) {
    Trace trace = withWords(traceOfScores({variedScores(4, 4, 5)}), {0, 0, 1, 2});
    trace.tokens[0].text = "suit";
    trace.tokens[0].wordText = "suitcase";
    trace.tokens[1].text = "case";
    EXPECT_EQ(findQuery(trace, SiteIndex(0), "suitcase", true), QueryIndex(0));
    EXPECT_EQ(findQuery(trace, SiteIndex(0), "case", true), QueryIndex(1));
    EXPECT_FALSE(findQuery(trace, SiteIndex(0), "suitcase"));
}

}  // namespace
}  // namespace fovea::session
