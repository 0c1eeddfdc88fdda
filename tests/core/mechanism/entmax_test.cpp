// SPDX-License-Identifier: GPL-3.0-or-later
// Rows that other programs get wrong, the special inputs, and what is refused.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/support/precondition.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using test::Solved;
using test::solve;

void expectWeights(const std::vector<double>& scores, EntmaxParameters parameters,
                   const std::vector<double>& expected, double tolerance = 1e-15) {
    const auto solved = solve(scores, parameters);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(solved.weights[i], expected[i], tolerance)
            << "key " << i << ", alpha " << parameters.alpha << ", T " << parameters.temperature;
    }
}

const std::vector<double> someAlphas = {1, 1 + 1e-10, 1.0000001, 1.001, 1.3, 1.5, 1.8, 2, 2.5, 4, 10, 1e6};

TEST(Entmax, at_alpha_one_equals_softmax) {
    expectWeights({0, 0, 1}, {1, 1}, {0.2119415576170854, 0.2119415576170854, 0.5761168847658291});
}

TEST(Entmax, at_alpha_two_equals_sparsemax) {
    expectWeights({1, 0.5, -3}, {2, 1}, {0.75, 0.25, 0});
    expectWeights({0, 0.5, 1}, {2, 1}, {0, 0.25, 0.75});
    expectWeights({0.1, 0.2, 0.3, 0.4, 0.5}, {2, 1}, {0, 0.1, 0.2, 0.3, 0.4});
}

TEST(Entmax, at_alpha_one_and_a_half_solves_the_quadratic) {
    expectWeights({0, 0.5}, {1.5, 1}, {0.32600736366156180, 0.67399263633843820});
}

TEST(Entmax, masked_keys_get_exactly_zero_and_leave_the_others_alone) {
    for (const double alpha : someAlphas) {
        for (const double masked : {-1e30, -3.4e38, -1e308, -infinity}) {
            const auto with = solve({0.3, masked, 1, masked}, {alpha, 1});
            const auto without = solve({0.3, 1}, {alpha, 1});
            EXPECT_EQ(with.weights[1], 0);
            EXPECT_EQ(with.weights[3], 0);
            EXPECT_EQ(with.weights[0], without.weights[0]);
            EXPECT_EQ(with.weights[2], without.weights[1]);
            EXPECT_EQ(with.row.support, without.row.support);
            EXPECT_EQ(with.row.offset, without.row.offset);
        }
    }
}

TEST(Entmax, scores_just_above_the_mask_still_count) {
    expectWeights({-9e29, -9e29}, {1.5, 1}, {0.5, 0.5});
}

TEST(Entmax, fully_masked_row_is_zero_and_marked_empty) {
    for (const double alpha : someAlphas) {
        const auto solved = solve({-infinity, -1e30, -2e30}, {alpha, 1});
        EXPECT_EQ(solved.row.state, RowState::Empty);
        EXPECT_EQ(solved.row.support, 0u);
        EXPECT_EQ(solved.row.residual, 0);
        for (const double weight : solved.weights) EXPECT_EQ(weight, 0);
    }
}

TEST(Entmax, no_key_at_all_is_an_empty_row) {
    EXPECT_EQ(solve({}, {1.5, 1}).row.state, RowState::Empty);
}

TEST(Entmax, a_single_key_takes_everything) {
    for (const double alpha : someAlphas) {
        for (const double score : {-9.9e29, -123.0, 0.0, 5e-324, 1e308, infinity}) {
            const auto solved = solve({score}, {alpha, 0.7});
            EXPECT_EQ(solved.weights[0], 1);
            EXPECT_EQ(solved.row.support, 1u);
            EXPECT_EQ(solved.row.offset, 0);
        }
    }
}

TEST(Entmax, one_nan_makes_the_whole_row_nan_and_invalid) {
    for (const double alpha : someAlphas) {
        for (const double temperature : {0.0, 1.0}) {
            const auto solved = solve({0, nan, infinity, -infinity}, {alpha, temperature});
            EXPECT_EQ(solved.row.state, RowState::Invalid);
            for (const double weight : solved.weights) EXPECT_TRUE(std::isnan(weight));
        }
    }
}

TEST(Entmax, infinite_scores_share_equally) {
    for (const double alpha : someAlphas) {
        expectWeights({0, infinity, 7, infinity, -infinity}, {alpha, 1}, {0, 0.5, 0, 0.5, 0});
    }
    expectWeights({0, infinity, 7}, {infinity, 0}, {0, 1, 0});
}

TEST(Entmax, at_temperature_zero_and_infinite_alpha_is_the_argmax_with_ties_shared) {
    for (const double alpha : someAlphas) {
        expectWeights({2, 2, -1, 2}, {alpha, 0}, {1. / 3, 1. / 3, 0, 1. / 3});
    }
    for (const double temperature : {1e-300, 1.0, 1e10}) {
        expectWeights({0.5, 2, std::nextafter(2, 0), 2}, {infinity, temperature}, {0, 0.5, 0, 0.5});
    }
}

TEST(Entmax, at_infinite_temperature_is_uniform_over_the_unmasked) {
    for (const double alpha : someAlphas) {
        expectWeights({3, -infinity, -70, 1}, {alpha, infinity}, {1. / 3, 0, 1. / 3, 1. / 3});
    }
}

TEST(Entmax, tiny_temperature_does_not_overflow) {
    for (const double alpha : someAlphas) {
        expectWeights({1e10, 9999999999, -1e29, 1e10}, {alpha, 1e-300}, {0.5, 0, 0, 0.5});
        expectWeights({1e-320, 0}, {alpha, 5e-324}, {1, 0});
    }
}

TEST(Entmax, huge_scores_do_not_overflow) {
    for (const double alpha : someAlphas) {
        expectWeights({1.7e308, -9e29, 1.7e308}, {alpha, 1}, {0.5, 0, 0.5});
        expectWeights({1.7e308, 1.6e308}, {alpha, 1e-10}, {1, 0});
    }
}

TEST(Entmax, large_offset_in_float_is_one_hot) {
    const std::vector<float> scores = {1e8f, 1e8f - 100};
    std::vector<float> weights(2);
    EntmaxWorkspace workspace;
    for (const double alpha : {1.0, 1.5, 2.0, 5.0}) {
        entmax(std::span<const float>(scores), {alpha, 1}, std::span<float>(weights), workspace);
        EXPECT_NEAR(weights[0], 1, 1e-7);
        EXPECT_NEAR(weights[1], 0, 1e-7);
    }
}

TEST(Entmax, a_runner_up_is_out_once_alpha_minus_one_times_its_gap_reaches_one) {
    for (const double alpha : {1.25, 1.5, 2.0, 3.0, 11.0}) {
        const double gap = 1 / (alpha - 1);
        EXPECT_EQ(solve({0, -gap * 1.001}, {alpha, 1}).weights[1], 0);
        EXPECT_GT(solve({0, -gap * 0.999}, {alpha, 1}).weights[1], 0);
    }
}

TEST(Entmax, at_large_alpha_moves_smoothly_with_the_scores) {
    // Two keys a gap x apart: p falls from 1/2 without steps, and the closed relation
    // p^(alpha-1) - (1-p)^(alpha-1) = (alpha-1) x holds.
    for (const double alpha : {8.0, 10.0}) {
        double before = -1;
        for (int step = -1000; step <= 1000; ++step) {
            const double x = step / 1000.0 / (alpha - 1);
            const double p = solve({x, 0}, {alpha, 1}).weights[0];
            EXPECT_GT(p, before);
            before = p;
            EXPECT_NEAR(std::pow(p, alpha - 1) - std::pow(1 - p, alpha - 1), (alpha - 1) * x, 1e-14);
        }
    }
}

TEST(Entmax, near_ties_at_large_alpha_keep_their_digits) {
    // The gap is 2^-52: its relative accuracy decides the weights.
    const double gap = std::ldexp(1.0, -52);
    const double alpha = 10;
    const auto solved = solve({1 + gap, 1, 0.9}, {alpha, 1});
    EXPECT_NEAR(std::pow(solved.weights[0], 9) - std::pow(solved.weights[1], 9), 9 * gap, 1e-18);
}

TEST(Entmax, workspace_is_reusable_for_rows_of_any_length) {
    EntmaxWorkspace workspace;
    for (const std::size_t length : {5u, 700u, 1u, 0u, 64u}) {
        std::vector<double> scores(length, 0.25);
        std::vector<double> weights(length);
        entmax(std::span<const double>(scores), {1.3, 1}, std::span<double>(weights), workspace);
        for (const double weight : weights) EXPECT_NEAR(weight, 1.0 / static_cast<double>(length), 1e-16);
    }
}

TEST(Entmax, parameters_outside_their_domain_are_refused_with_the_range) {
    for (const double alpha : {0.99, 0.0, -2.0, -infinity, nan}) {
        const auto result = checked(EntmaxParameters{alpha, 1});
        ASSERT_FALSE(result) << alpha;
        EXPECT_NE(result.error().message.find("at least 1"), std::string::npos);
    }
    for (const double temperature : {-1e-300, -1.0, -infinity, nan}) {
        const auto result = checked(EntmaxParameters{1.5, temperature});
        ASSERT_FALSE(result) << temperature;
        EXPECT_NE(result.error().message.find("at least 0"), std::string::npos);
    }
    for (const double alpha : {1.0, 1.5, 1e300, infinity}) {
        EXPECT_TRUE(checked(EntmaxParameters{alpha, 0}));
        EXPECT_TRUE(checked(EntmaxParameters{alpha, 5e-324}));
    }
}

TEST(Entmax, unchecked_parameters_and_unequal_lengths_are_broken_promises) {
    EntmaxWorkspace workspace;
    std::vector<double> scores(3);
    std::vector<double> weights(2);
    const std::span<const double> row(scores);
    EXPECT_THROW(entmax(row, {1.5, 1}, std::span<double>(weights), workspace), PreconditionError);
    weights.resize(3);
    EXPECT_THROW(entmax(row, {nan, 1}, std::span<double>(weights), workspace), PreconditionError);
}

TEST(ScoresFromWeights, unusable_weights_stay_visible) {
    std::vector<double> scores(4);
    scoresFromWeights(std::vector<double>{0.5, 0, nan, -0.1}, {1, 1}, scores);
    EXPECT_EQ(scores[0], 0);
    EXPECT_EQ(scores[1], -infinity);
    EXPECT_TRUE(std::isnan(scores[2]));
    EXPECT_TRUE(std::isnan(scores[3]));
}

TEST(ShannonEntropy, counts_zero_weights_as_zero) {
    EXPECT_DOUBLE_EQ(shannonEntropy(std::vector<double>{0.5, 0, 0.5}), std::log(2));
    EXPECT_EQ(shannonEntropy(std::vector<double>{0, 1}), 0);
    EXPECT_TRUE(std::isnan(shannonEntropy(std::vector<double>{nan, 1})));
}

}  // namespace
}  // namespace fovea
