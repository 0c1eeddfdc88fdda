// SPDX-License-Identifier: GPL-3.0-or-later
// Inputs on which programs for discrete attention have been seen to go wrong, each with what is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/mechanism/entmax_axis.h"
#include "core/mechanism/entmax_gradient.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Row = std::vector<double>;

Row weightsOf(const Row& scores, double alpha) { return test::solve(scores, {alpha, 1}).weights; }

Row gradientOf(const Row& scores, double alpha, const Row& upstream) {
    const Row weights = weightsOf(scores, alpha);
    Row gradient(scores.size());
    entmaxJacobianProduct({scores, weights, {alpha, 1}}, upstream, gradient);
    return gradient;
}

void expectNear(const Row& found, const Row& expected, double tolerance = 1e-15) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
    }
}

TEST(EntmaxNumbers, alpha_of_exactly_one_is_softmax_and_not_uniform) {
    const Row weights = weightsOf({0, 0, 1}, 1);
    expectNear(weights, {0.2119, 0.2119, 0.5761}, 5e-5);
    expectNear(weights, {0.21194155761708547, 0.21194155761708547, 0.57611688476582911});
}

TEST(EntmaxNumbers, a_masked_key_at_alpha_one_leaves_softmax_over_the_others_and_no_nan) {
    const Row scores = {0, -infinity, 1};
    const Row weights = weightsOf(scores, 1);
    expectNear(weights, {1 / (1 + std::exp(1.0)), 0, 1 / (1 + std::exp(-1.0))});
    EXPECT_EQ(weights[1], 0);
    const double slope = weights[0] * weights[2];
    expectNear(gradientOf(scores, 1, {1, nan, 0}), {slope, 0, -slope});
    const EntmaxPoint<double> point{scores, weights, {1, 1}};
    Row derivative(3);
    entmaxByAlpha(point, derivative);
    // From the right, (p sum p ln^2 p - p ln^2 p)/2.
    const double squares[] = {std::pow(std::log(weights[0]), 2), std::pow(std::log(weights[2]), 2)};
    const double first = weights[0] * weights[2] * (squares[1] - squares[0]) / 2;
    expectNear(derivative, {first, 0, -first});
}

/// The weight of the first of two keys whose scores differ by x: the root of p^(alpha-1) - (1-p)^(alpha-1) =
/// (alpha-1) x, by bisection.
double firstOfTwo(double x, double alpha) {
    double low = 0, high = 1;
    for (int step = 0; step < 60; ++step) {
        const double p = low + (high - low) / 2;
        (std::pow(p, alpha - 1) - std::pow(1 - p, alpha - 1) < (alpha - 1) * x ? low : high) = p;
    }
    return high;
}

TEST(EntmaxNumbers, two_keys_at_alpha_ten_move_smoothly) {
    double before = 0;
    for (int step = -10000; step <= 10000; ++step) {
        const double x = step / 10000.0;
        const double p = weightsOf({x, 0}, 10)[0];
        EXPECT_GE(p, before);
        // The slope is at most 128, at x = 0.
        EXPECT_LE(p - before, 128.001 * 1e-4);
        EXPECT_NEAR(p, firstOfTwo(x, 10), 1e-14) << x;
        before = p;
    }
    EXPECT_EQ(before, 1);
}

TEST(EntmaxNumbers, a_large_offset_in_float_is_one_hot_and_has_a_gradient_of_zero) {
    const std::vector<float> scores = {1e8f, 1e8f - 100};
    std::vector<float> weights(2), gradient(2);
    EntmaxWorkspace workspace;
    entmax(std::span<const float>(scores), {1.5, 1}, std::span<float>(weights), workspace);
    EXPECT_EQ(weights, (std::vector<float>{1, 0}));
    entmaxJacobianProduct({scores, weights, {1.5, 1}}, std::vector<float>{3, 4}, gradient);
    EXPECT_EQ(gradient, (std::vector<float>{0, 0}));
}

TEST(EntmaxNumbers, sparsemax_of_three_scores_sums_to_one) {
    expectNear(weightsOf({0, 0.5, 1}, 2), {0, 0.25, 0.75});
}

TEST(EntmaxNumbers, sparsemax_of_five_even_scores_is_not_all_zero) {
    expectNear(weightsOf({0.1, 0.2, 0.3, 0.4, 0.5}, 2), {0, 0.1, 0.2, 0.3, 0.4});
}

TEST(EntmaxNumbers, a_fully_masked_row_is_zero_and_marked_empty) {
    for (const double alpha : {1.0, 1.5, 2.0, 4.0}) {
        const auto solved = test::solve({-infinity, -infinity}, {alpha, 1});
        EXPECT_EQ(solved.weights, (Row{0, 0}));
        EXPECT_EQ(solved.row.state, RowState::Empty);
        EXPECT_EQ(gradientOf({-infinity, -infinity}, alpha, {1, 2}), (Row{0, 0}));
    }
}

TEST(EntmaxNumbers, nan_among_the_scores_makes_its_row_nan_and_no_other) {
    const Row scores = {0, nan, 1, 1};
    Row weights(4);
    std::vector<EntmaxRow> rows(2);
    const auto layout = StridedLayout::inCOrder({2, 2});
    const auto counts = entmaxAlongAxis<double>({scores.data(), layout}, {1, {1.5, 1}, nullptr},
                                                {weights.data(), layout}, rows);
    ASSERT_TRUE(counts);
    EXPECT_EQ(counts->invalid, 1u);
    EXPECT_EQ(rows[0].state, RowState::Invalid);
    EXPECT_TRUE(std::isnan(weights[0]) && std::isnan(weights[1]));
    EXPECT_EQ(rows[1].state, RowState::Ok);
    EXPECT_EQ(weights[2], 0.5);
}

TEST(EntmaxNumbers, entries_of_plus_infinity_share) {
    for (const double alpha : {1.0, 1.5, 2.0, 4.0}) {
        EXPECT_EQ(weightsOf({infinity, 3, infinity}, alpha), (Row{0.5, 0, 0.5}));
        EXPECT_EQ(gradientOf({infinity, 3, infinity}, alpha, {1, 2, 3}), (Row{0, 0, 0}));
    }
}

TEST(EntmaxNumbers, any_axis_of_any_layout_has_the_weights_and_gradients_of_a_contiguous_copy) {
    // (2, 1, 3) as every second element of memory that runs backwards along the last axis.
    const Row memory = {0.3, 9, 0.1, 9, 0.8, 9, 0, 9, 0.4, 9, -0.2, 9};
    const StridedLayout layout{{2, 1, 3}, {6, 100, -2}};
    const StridedArray<const double> scores{memory.data() + 4, layout};
    const auto contiguous = StridedLayout::inCOrder({2, 1, 3});
    const Row copy = {0.8, 0.1, 0.3, -0.2, 0.4, 0};
    const Row upstream = {1, -2, 0.5, 0, 3, 1};
    for (const std::int64_t axis : {0, 1, 2}) {
        const EntmaxAlong along{axis, {1.5, 1}, nullptr};
        Row found(6), expected(6);
        ASSERT_TRUE(entmaxAlongAxis<double>(scores, along, {found.data(), contiguous}));
        ASSERT_TRUE(entmaxAlongAxis<double>({copy.data(), contiguous}, along, {expected.data(), contiguous}));
        EXPECT_EQ(found, expected);
        if (axis == 1) { EXPECT_EQ(found, Row(6, 1.0)); }
        if (axis == 2) { expectNear({found.begin(), found.begin() + 3}, weightsOf({0.8, 0.1, 0.3}, 1.5)); }
        const StridedArray<const double> slopes{upstream.data(), contiguous};
        const StridedArray<const double> copied{copy.data(), contiguous};
        ASSERT_TRUE(entmaxGradientAlongAxis<double>(scores, along, slopes, {found.data(), contiguous}));
        ASSERT_TRUE(entmaxGradientAlongAxis<double>(copied, along, slopes, {expected.data(), contiguous}));
        EXPECT_EQ(found, expected);
        if (axis == 1) { EXPECT_EQ(found, Row(6, 0.0)); }
        if (axis == 2) {
            expectNear({found.begin(), found.begin() + 3}, gradientOf({0.8, 0.1, 0.3}, 1.5, {1, -2, 0.5}));
        }
    }
}

TEST(EntmaxNumbers, alpha_below_one_is_refused_with_the_range_and_never_gives_nan) {
    for (const double alpha : {0.9999999, 0.5, -1.0, nan}) {
        const auto refused = checked(EntmaxParameters{alpha, 1});
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("alpha must be at least 1"), std::string::npos);
        const double score = 1;
        double weight = 7;
        const auto layout = StridedLayout::inCOrder({1});
        EXPECT_FALSE(entmaxAlongAxis<double>({&score, layout}, {0, {alpha, 1}, nullptr}, {&weight, layout}));
        EXPECT_EQ(weight, 7);
    }
}

TEST(EntmaxNumbers, weights_near_the_threshold_above_alpha_two_keep_their_digits) {
    // From arithmetic with 60 digits; methods in the threshold are off by up to 0.027 at alpha = 8.
    expectNear(weightsOf({0, -0.0001, -0.0011}, 8),
               {0.49896502364209616, 0.49221728758051364, 0.0088176887773902066}, 1e-14);
    expectNear(weightsOf({0, -0.0001, -0.00115}, 8),
               {0.50214365906543446, 0.49566003770558592, 0.0021963032289795937}, 1e-14);
    expectNear(weightsOf({0, -0.0001, -0.001166}, 8),
               {0.50313580822338033, 0.49673204484643035, 0.00013214693018933228}, 1e-14);
    expectNear(weightsOf({0, -0.0001, -0.00117}, 8), {0.50319934502624386, 0.49680065497375614, 0}, 1e-14);
    expectNear(weightsOf({0, -0.1428571}, 8), {0.99999995714285161, 4.2857148381073934e-08}, 1e-15);
    expectNear(weightsOf({0, -0.111111, -0.1111}, 10), {0.99998888839503064, 0, 1.1111604969362363e-05},
               1e-15);
}

TEST(EntmaxNumbers, the_derivative_by_alpha_at_1_0001_has_all_its_digits) {
    const auto byAlpha = [](const Row& scores, double alpha) {
        const Row weights = weightsOf(scores, alpha);
        Row derivative(scores.size());
        entmaxByAlpha(EntmaxPoint<double>{scores, weights, {alpha, 1}}, derivative);
        return derivative;
    };
    expectNear(byAlpha({0.5, -1.25, 2, 0}, 1.0001),
               {-0.14880932516059064, -0.15742151927369044, 0.49744520416137022, -0.19121435972708911},
               1e-15);
    expectNear(byAlpha({3, 1, 2}, 1.0001), {0.31639270830960309, -0.21065203910950447, -0.10574066920009863},
               1e-15);
    // And at 1 itself.
    expectNear(byAlpha({3, 1, 2}, 1), {0.31637008062165528, -0.21063910908542577, -0.10573097153622953},
               1e-15);
}

}  // namespace
}  // namespace fovea
