// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "core/analysis/divergence.h"
#include "tests/support/synthetic_trace.h"

namespace fovea::session {
namespace {

using test::paddedTrace;
using test::scoresOfWeights;
using test::traceOfScores;
using test::variedScores;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

Selection at(std::size_t query, std::size_t head = 0) {
    return {SiteIndex(0), HeadIndex(head), QueryIndex(query)};
}

MechanismChoice discrete(double alpha, double temperature = 1) {
    MechanismChoice choice;
    choice.weights = {alpha, temperature};
    return choice;
}

MechanismChoice continuous(double alpha) {
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    choice.density = {alpha, 1.0};
    return choice;
}

double sumOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

TEST(EvaluateRow, weights_sum_to_one_for_every_alpha_and_temperature) {
    const Trace trace = traceOfScores({variedScores(5, 9, 1)});
    for (const double alpha : {1.0, 1.25, 1.5, 2.0, 4.0, 10.0}) {
        for (const double temperature : {0.0, 0.05, 1.0, 20.0}) {
            const auto row = evaluateRow(trace, trace, at(3), discrete(alpha, temperature));
            ASSERT_TRUE(row) << row.error().message;
            EXPECT_NEAR(sumOf(row->weights), 1.0, 1e-14) << alpha << ' ' << temperature;
            EXPECT_DOUBLE_EQ(row->residual, row->rowSum - 1);
            EXPECT_GE(row->support, 1U);
        }
    }
}

TEST(EvaluateRow, softmax_gives_back_the_weights_that_the_scores_were_made_of) {
    const std::vector<double> weights{0.125, 0.5, 0.25, 0.125};
    const Trace trace = traceOfScores({scoresOfWeights({weights})});
    const auto row = evaluateRow(trace, trace, at(0), discrete(1));
    ASSERT_TRUE(row);
    for (std::size_t k = 0; k < weights.size(); ++k) EXPECT_NEAR(row->weights[k], weights[k], 1e-7);
    EXPECT_EQ(row->largest, KeyIndex(1));
    EXPECT_NEAR(row->entropy, 1.75 * std::log(2.0), 1e-6);
}

TEST(EvaluateRow, own_softmax_has_divergence_zero_and_another_mechanism_has_not) {
    const Trace trace = traceOfScores({variedScores(4, 6, 2)});
    EXPECT_EQ(evaluateRow(trace, trace, at(1), discrete(1))->divergence, 0.0);
    const auto sparse = evaluateRow(trace, trace, at(1), discrete(2));
    const auto soft = evaluateRow(trace, trace, at(1), discrete(1));
    EXPECT_DOUBLE_EQ(sparse->divergence, jensenShannon(sparse->weights, soft->weights));
    EXPECT_GT(sparse->divergence, 0.0);
}

TEST(EvaluateRow, divergence_is_measured_from_the_own_run_not_from_the_changed_one) {
    const Trace own = traceOfScores({variedScores(3, 5, 3)});
    const Trace changed = traceOfScores({variedScores(3, 5, 4)});
    const auto row = evaluateRow(changed, own, at(0), discrete(1));
    const auto ownRow = evaluateRow(own, own, at(0), discrete(1));
    ASSERT_TRUE(row);
    EXPECT_DOUBLE_EQ(row->divergence, jensenShannon(row->weights, ownRow->weights));
}

TEST(EvaluateRow, states_tell_masked_exact_zero_and_positive_apart) {
    const Trace trace = traceOfScores({{{2.0F, 0.0F, -infinity, 1.9F, -1e30F}}});
    const auto row = evaluateRow(trace, trace, at(0), discrete(2));
    ASSERT_TRUE(row);
    EXPECT_EQ(row->states, (std::vector{WeightState::Positive, WeightState::ExactZero, WeightState::Masked,
                                        WeightState::Positive, WeightState::Masked}));
    EXPECT_EQ(row->visibleKeys, 3U);
    EXPECT_EQ(row->support, 2U);
}

TEST(EvaluateRow, fully_masked_row_is_empty_and_has_no_interval) {
    const Trace trace = traceOfScores({{{-infinity, -infinity, -infinity}}});
    for (const auto& choice : {discrete(1.5), continuous(2)}) {
        const auto row = evaluateRow(trace, trace, at(0), choice);
        ASSERT_TRUE(row);
        EXPECT_EQ(row->state, RowState::Empty);
        EXPECT_EQ(row->weights, (std::vector<double>{0, 0, 0}));
        EXPECT_EQ(row->visibleKeys, 0U);
        EXPECT_FALSE(row->largest);
        EXPECT_FALSE(row->interval);
        EXPECT_TRUE(std::isnan(row->threshold));
    }
}

TEST(EvaluateRow, row_with_nan_is_invalid_and_all_nan) {
    const Trace trace = traceOfScores({{{1.0F, nan, -infinity}}});
    for (const auto& choice : {discrete(1.5), continuous(1)}) {
        const auto row = evaluateRow(trace, trace, at(0), choice);
        ASSERT_TRUE(row);
        EXPECT_EQ(row->state, RowState::Invalid);
        for (const double weight : row->weights) EXPECT_TRUE(std::isnan(weight));
        for (const WeightState state : row->states) EXPECT_EQ(state, WeightState::NotANumber);
        EXPECT_TRUE(std::isnan(row->entropy));
        EXPECT_TRUE(std::isnan(row->rowSum));
        EXPECT_TRUE(std::isnan(row->divergence));
        EXPECT_FALSE(row->largest);
        EXPECT_FALSE(row->interval);
    }
}

TEST(EvaluateRow, selection_out_of_range_is_an_error_with_the_numbers) {
    const Trace trace = traceOfScores({variedScores(2, 3, 1)});
    EXPECT_FALSE(evaluateRow(trace, trace, {SiteIndex(1), HeadIndex(0), QueryIndex(0)}, discrete(1)));
    EXPECT_FALSE(evaluateRow(trace, trace, at(2), discrete(1)));
    const auto row = evaluateRow(trace, trace, at(0, 7), discrete(1));
    ASSERT_FALSE(row);
    EXPECT_NE(row.error().message.find("head 7"), std::string::npos);
    EXPECT_NE(row.error().message.find("1"), std::string::npos);
}

TEST(EvaluateRow, parameters_out_of_their_domain_are_refused) {
    const Trace trace = traceOfScores({variedScores(2, 3, 1)});
    EXPECT_FALSE(evaluateRow(trace, trace, at(0), discrete(0.5)));
    EXPECT_FALSE(evaluateRow(trace, trace, at(0), discrete(1, -1)));
    EXPECT_FALSE(evaluateRow(trace, trace, at(0), discrete(std::nan(""))));
    EXPECT_FALSE(evaluateRow(trace, trace, at(0), continuous(0)));
}

TEST(EvaluateMatrix, every_row_equals_the_row_evaluated_alone) {
    // More keys than one tile holds rows of, so that tiles meet inside the matrix.
    const Trace trace = traceOfScores({variedScores(70, 1300, 5), variedScores(70, 1300, 6)});
    const auto matrix = evaluateMatrix(trace, at(0, 1), discrete(1.5, 0.7), {});
    ASSERT_TRUE(matrix);
    float largest = 0;
    for (std::size_t q = 0; q < matrix->queries; ++q) {
        const auto row = evaluateRow(trace, trace, at(q, 1), discrete(1.5, 0.7));
        for (std::size_t k = 0; k < matrix->keys; ++k) {
            const float weight = matrix->weights[q * matrix->keys + k];
            ASSERT_FLOAT_EQ(weight, static_cast<float>(row->weights[k])) << q << ' ' << k;
            ASSERT_EQ(matrix->states[q * matrix->keys + k], row->states[k]);
            largest = std::max(largest, weight);
        }
        ASSERT_EQ(matrix->rowStates[q], row->state);
    }
    EXPECT_EQ(matrix->largest, largest);
}

TEST(EvaluateMatrix, continuous_rows_hold_the_mass_of_each_token) {
    const Trace trace = traceOfScores({variedScores(12, 12, 7)});
    for (const double alpha : {1.0, 1.5, 2.0}) {
        const auto matrix = evaluateMatrix(trace, at(0), continuous(alpha), {});
        ASSERT_TRUE(matrix);
        for (std::size_t q = 0; q < 12; ++q) {
            const auto row = evaluateRow(trace, trace, at(q), continuous(alpha));
            for (std::size_t k = 0; k < 12; ++k) {
                EXPECT_FLOAT_EQ(matrix->weights[q * 12 + k],
                                static_cast<float>(row->interval->massOfToken[k]));
            }
        }
    }
}

TEST(EvaluateMatrix, empty_and_invalid_rows_keep_their_state) {
    const Trace trace = traceOfScores({{{1, 2}, {-infinity, -infinity}, {nan, 1}}});
    for (const auto& choice : {discrete(1.5), continuous(2)}) {
        const auto matrix = evaluateMatrix(trace, at(0), choice, {});
        ASSERT_TRUE(matrix);
        EXPECT_EQ(matrix->rowStates, (std::vector{RowState::Ok, RowState::Empty, RowState::Invalid}));
        EXPECT_EQ(matrix->states[2], WeightState::Masked);
        EXPECT_EQ(matrix->states[4], WeightState::NotANumber);
        EXPECT_GT(matrix->largest, 0.0F);
    }
}

TEST(EvaluateMatrix, stops_on_request_and_says_that_it_was_cancelled) {
    const Trace trace = traceOfScores({variedScores(5, 5, 8)});
    std::stop_source stop;
    stop.request_stop();
    const auto matrix = evaluateMatrix(trace, at(0), discrete(2), stop.get_token());
    ASSERT_FALSE(matrix);
    EXPECT_EQ(matrix.error().kind, ErrorKind::Cancelled);
}

TEST(Padding, positions_count_over_unpadded_tokens_wherever_the_padding_stands) {
    const auto scores = variedScores(7, 7, 9);
    const Trace plain = traceOfScores({scores});
    for (const double alpha : {1.0, 2.0}) {
        const auto expected = evaluateRow(plain, plain, at(2), continuous(alpha));
        for (const bool atEnd : {true, false}) {
            const Trace padded = paddedTrace(scores, 4, atEnd);
            const std::size_t first = atEnd ? 0 : 4;
            const auto row = evaluateRow(padded, padded, at(2 + first), continuous(alpha));
            ASSERT_TRUE(row);
            EXPECT_DOUBLE_EQ(row->interval->mean, expected->interval->mean);
            EXPECT_DOUBLE_EQ(row->interval->variance, expected->interval->variance);
            EXPECT_EQ(row->interval->massOfToken, expected->interval->massOfToken);
            const auto matrix = evaluateMatrix(padded, at(0), continuous(alpha), {});
            for (std::size_t k = 0; k < 11; ++k) {
                const bool real = k >= first && k < first + 7;
                const std::size_t cell = (2 + first) * 11 + k;
                const double mass = real ? expected->interval->massOfToken[k - first] : 0;
                EXPECT_FLOAT_EQ(matrix->weights[cell], static_cast<float>(mass));
                EXPECT_EQ(matrix->states[cell] == WeightState::Masked, !real);
            }
        }
    }
}

TEST(RecordedWeights, are_the_weights_of_the_mechanism_that_the_site_ran_with) {
    Trace trace = traceOfScores({variedScores(3, 4, 1), variedScores(3, 4, 2)});
    for (const EntmaxParameters applied : {EntmaxParameters{1, 1}, EntmaxParameters{1.5, 0.8}}) {
        trace.records[0].applied = applied;
        const std::vector<float> weights = recordedWeights(trace.records[0]);
        ASSERT_EQ(weights.size(), 24U);
        for (std::size_t head = 0; head < 2; ++head) {
            for (std::size_t query = 0; query < 3; ++query) {
                const auto row =
                    evaluateRow(trace, trace, at(query, head), discrete(applied.alpha, applied.temperature));
                for (std::size_t key = 0; key < 4; ++key) {
                    EXPECT_FLOAT_EQ(weights[(head * 3 + query) * 4 + key],
                                    static_cast<float>(row->weights[key]));
                }
            }
        }
    }
}

TEST(RecordedWeights, inside_and_recorded_agree_when_the_plan_is_softmax) {
    const Trace own = traceOfScores({variedScores(6, 6, 11)});
    MechanismChoice inside = discrete(1);
    inside.insideModel = true;
    const auto recorded = evaluateRow(own, own, at(4), discrete(1));
    const auto changed = evaluateRow(own, own, at(4), inside);
    EXPECT_EQ(recorded->weights, changed->weights);
    EXPECT_EQ(changed->divergence, 0.0);
}

// Pictures.

Trace pictureTrace(std::size_t rows, std::size_t columns, std::size_t prefix, unsigned seed) {
    const std::size_t positions = prefix + rows * columns;
    Trace trace = traceOfScores({variedScores(positions, positions, seed)});
    trace.grid = PatchGrid{rows, columns, prefix};
    return trace;
}

MechanismChoice mixture(std::size_t components) {
    MechanismChoice choice = continuous(2);
    choice.domain = Domain::Mixture;
    choice.mixture.components = components;
    return choice;
}

TEST(Pictures, a_row_has_a_picture_in_place_of_an_interval) {
    const Trace trace = pictureTrace(4, 5, 1, 20);
    for (const auto& choice : {discrete(1), continuous(2), mixture(2)}) {
        const auto row = evaluateRow(trace, trace, at(3), choice);
        ASSERT_TRUE(row) << row.error().message;
        EXPECT_FALSE(row->interval);
        EXPECT_TRUE(row->components.empty());
        ASSERT_TRUE(row->picture);
        EXPECT_NEAR(row->picture->patchMass + row->picture->prefixMass, 1, 1e-14);
        const std::size_t ellipses = choice.domain == Domain::Discrete  ? 0
                                     : choice.domain == Domain::Mixture ? 2
                                                                        : 1;
        EXPECT_EQ(row->picture->ellipses.size(), ellipses);
    }
}

TEST(Pictures, matrix_spreads_the_patches_share_and_keeps_the_prefix) {
    const Trace trace = pictureTrace(4, 5, 2, 21);
    for (const auto& choice : {continuous(1), continuous(2), mixture(3)}) {
        const auto matrix = evaluateMatrix(trace, at(0), choice, {});
        ASSERT_TRUE(matrix) << matrix.error().message;
        for (const std::size_t query : {0, 7, 21}) {
            const auto row = evaluateRow(trace, trace, at(query), choice);
            const float* const cells = &matrix->weights[query * 22];
            EXPECT_FLOAT_EQ(cells[0], static_cast<float>(row->weights[0]));
            EXPECT_FLOAT_EQ(cells[1], static_cast<float>(row->weights[1]));
            std::vector<double> masses(20, 0.0);
            for (const auto& ellipse : row->picture->ellipses) {
                const auto part = massOfPatches(ellipse.density, 4, 5);
                for (std::size_t i = 0; i < 20; ++i)
                    masses[i] += row->picture->patchMass * ellipse.weight * part[i];
            }
            for (std::size_t i = 0; i < 20; ++i) EXPECT_NEAR(cells[2 + i], masses[i], 1e-7);
        }
    }
}

TEST(Pictures, a_grid_that_does_not_match_the_keys_is_an_error) {
    Trace trace = pictureTrace(4, 5, 1, 22);
    trace.grid->rows = 5;
    EXPECT_FALSE(evaluateRow(trace, trace, at(0), continuous(2)));
    EXPECT_FALSE(evaluateMatrix(trace, at(0), continuous(2), {}));
}

TEST(Matrix, too_large_a_one_is_refused_by_its_size_before_anything_is_allocated) {
    // Seventy thousand positions of one number each: small as queries and keys, 20 GB as a matrix.
    constexpr std::size_t positions = 70'000;
    QueriesAndKeys recorded;
    recorded.heads = recorded.keyValueHeads = recorded.width = 1;
    recorded.queries = recorded.keys = positions;
    recorded.queryValues.assign(positions, 0.0F);
    recorded.keyValues.assign(positions, 0.0F);
    Trace trace;
    trace.records.push_back({{}, scoresFromQueriesAndKeys(std::move(recorded)), {}});
    const auto matrix = evaluateMatrix(trace, at(0), discrete(1), {});
    ASSERT_FALSE(matrix);
    EXPECT_NE(matrix.error().message.find("70000"), std::string::npos);
}

// Several queries.

Selection several(std::vector<std::size_t> queries, QueryPooling pooling) {
    Selection selection = at(queries[0]);
    for (std::size_t i = 1; i < queries.size(); ++i) selection.more.emplace_back(queries[i]);
    selection.pooling = pooling;
    return selection;
}

TEST(SeveralQueries, are_their_mean_their_sum_or_their_maximum) {
    const Trace trace = traceOfScores({variedScores(6, 6, 23)});
    const auto first = evaluateRow(trace, trace, at(1), discrete(1.5));
    const auto second = evaluateRow(trace, trace, at(4), discrete(1.5));
    for (const QueryPooling pooling : {QueryPooling::Mean, QueryPooling::Sum, QueryPooling::Max}) {
        const auto both = evaluateRow(trace, trace, several({1, 4}, pooling), discrete(1.5));
        ASSERT_TRUE(both);
        std::size_t support = 0;
        for (std::size_t k = 0; k < 6; ++k) {
            const double sum = first->weights[k] + second->weights[k];
            const double expected = pooling == QueryPooling::Mean ? sum / 2
                                    : pooling == QueryPooling::Sum
                                        ? sum
                                        : std::max(first->weights[k], second->weights[k]);
            EXPECT_NEAR(both->weights[k], expected, 1e-15);
            support += expected > 0 ? 1 : 0;
        }
        EXPECT_EQ(both->support, support);
        EXPECT_NEAR(both->rowSum, sumOf(both->weights), 1e-15);
        EXPECT_TRUE(std::isnan(both->threshold));
        if (pooling == QueryPooling::Max) {
            EXPECT_TRUE(std::isnan(both->residual));
        } else {
            EXPECT_NEAR(both->residual, 0, 1e-14);
        }
    }
}

TEST(SeveralQueries, entropy_and_divergence_do_not_depend_on_mean_or_sum) {
    const Trace trace = traceOfScores({variedScores(8, 8, 24)});
    const auto mean = evaluateRow(trace, trace, several({0, 2, 5}, QueryPooling::Mean), discrete(2));
    const auto sum = evaluateRow(trace, trace, several({0, 2, 5}, QueryPooling::Sum), discrete(2));
    EXPECT_NEAR(mean->entropy, sum->entropy, 1e-14);
    EXPECT_NEAR(mean->entropy, shannonEntropy(mean->weights), 1e-14);
    EXPECT_NEAR(mean->divergence, sum->divergence, 1e-14);
    EXPECT_EQ(evaluateRow(trace, trace, several({0, 2}, QueryPooling::Mean), discrete(1))->divergence, 0);
    const auto shown = evaluateRow(trace, trace, several({0, 2, 5}, QueryPooling::Sum), continuous(2));
    const auto same = evaluateRow(trace, trace, several({0, 2, 5}, QueryPooling::Mean), continuous(2));
    EXPECT_NEAR(shown->interval->mean, same->interval->mean, 1e-12);
}

TEST(SeveralQueries, empty_rows_are_left_out_and_an_invalid_one_spoils_all) {
    const Trace trace =
        traceOfScores({{{1, 2, 0}, {-infinity, -infinity, -infinity}, {nan, 1, 2}, {0, 0, -infinity}}});
    const auto alone = evaluateRow(trace, trace, at(0), discrete(1));
    const auto withEmpty = evaluateRow(trace, trace, several({0, 1}, QueryPooling::Mean), discrete(1));
    ASSERT_EQ(withEmpty->state, RowState::Ok);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(withEmpty->weights[k], alone->weights[k], 1e-15);
    EXPECT_EQ(withEmpty->states[2], WeightState::Positive);
    const auto invalid = evaluateRow(trace, trace, several({0, 2}, QueryPooling::Sum), discrete(1));
    EXPECT_EQ(invalid->state, RowState::Invalid);
    for (const double weight : invalid->weights) EXPECT_TRUE(std::isnan(weight));
    const auto masked = evaluateRow(trace, trace, several({1, 3}, QueryPooling::Max), discrete(1));
    EXPECT_EQ(masked->states[2], WeightState::Masked);
    EXPECT_EQ(masked->visibleKeys, 2U);
}

TEST(SeveralQueries, each_index_is_checked) {
    const Trace trace = traceOfScores({variedScores(3, 3, 25)});
    const auto row = evaluateRow(trace, trace, several({0, 9}, QueryPooling::Mean), discrete(1));
    ASSERT_FALSE(row);
    EXPECT_NE(row.error().message.find("query 9"), std::string::npos);
}

TEST(MixtureOverText, has_components_and_their_summed_curve) {
    std::vector<double> weights(40, 1e-6);
    for (int l = 0; l < 40; ++l) {
        weights[static_cast<std::size_t>(l)] +=
            2 * std::exp(-(l - 8) * (l - 8) / 4.0) + std::exp(-(l - 30) * (l - 30) / 4.0);
    }
    const Trace trace = traceOfScores({scoresOfWeights({weights})});
    const auto row = evaluateRow(trace, trace, at(0), mixture(2));
    ASSERT_TRUE(row) << row.error().message;
    ASSERT_EQ(row->components.size(), 2U);
    EXPECT_NEAR(row->components[0].weight, 2.0 / 3, 1e-3);
    EXPECT_NEAR(row->components[0].interval.mean, 8.5, 0.05);
    const auto& whole = *row->interval;
    EXPECT_NEAR(whole.mean, (2 * 8.5 + 30.5) / 3, 0.05);
    EXPECT_NEAR(sumOf(whole.massOfToken) + whole.massOutside, 1, 1e-12);
    EXPECT_EQ(whole.shown.low, row->components[0].interval.shown.low);
    EXPECT_EQ(whole.shown.high, row->components[1].interval.shown.high);
    // Far apart, the entropy is that of the choice plus the mean of the parts'.
    const double choice = -(2.0 / 3) * std::log(2.0 / 3) - (1.0 / 3) * std::log(1.0 / 3);
    const double parts = 2.0 / 3 * row->components[0].interval.shannonEntropy +
                         1.0 / 3 * row->components[1].interval.shannonEntropy;
    EXPECT_NEAR(whole.shannonEntropy, choice + parts, 1e-3);
    const auto matrix = evaluateMatrix(trace, at(0), mixture(2), {});
    for (std::size_t k = 0; k < 40; ++k) {
        EXPECT_FLOAT_EQ(matrix->weights[k], static_cast<float>(whole.massOfToken[k]));
    }
}

TEST(MixtureOverText, a_row_of_too_few_keys_is_refused_but_has_its_place_in_a_matrix) {
    const Trace trace = traceOfScores({{{0, -infinity, -infinity}, {0, 1, -infinity}, {0, 2, 1}}});
    const auto row = evaluateRow(trace, trace, at(0), mixture(2));
    ASSERT_FALSE(row);
    EXPECT_NE(row.error().message.find("2 components"), std::string::npos) << row.error().message;
    const auto matrix = evaluateMatrix(trace, at(0), mixture(2), {});
    ASSERT_TRUE(matrix) << matrix.error().message;
    EXPECT_GT(matrix->weights[0], 0.5F);
}

}  // namespace
}  // namespace fovea::session
