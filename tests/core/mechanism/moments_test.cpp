// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/support/precondition.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using test::number;
using test::numbers;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Moments, positions_follow_their_conventions) {
    EXPECT_EQ(position(0, 4, Positions::Paper), 0.25);
    EXPECT_EQ(position(3, 4, Positions::Paper), 1);
    EXPECT_EQ(position(0, 4, Positions::Midpoint), 0.125);
    EXPECT_EQ(position(0, 5, Positions::Endpoints), 0);
    EXPECT_EQ(position(4, 5, Positions::Endpoints), 1);
    EXPECT_EQ(position(0, 1, Positions::Endpoints), 0.5);
    EXPECT_THROW(position(4, 4, Positions::Midpoint), PreconditionError);
}

TEST(Moments, do_not_depend_on_the_scale_of_the_weights) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 1000; ++i) {
        std::vector<double> weights(1 + i % 50);
        for (double& weight : weights) weight = unit(engine);
        const auto expected = weightedMoments(weights).value();
        for (const double scale : {1e-300, 1e-7, 3.0, 1e307}) {
            auto scaled = weights;
            for (double& weight : scaled) weight *= scale;
            const auto found = weightedMoments(scaled).value();
            EXPECT_NEAR(found.mean, expected.mean, 1e-15);
            EXPECT_NEAR(found.variance, expected.variance, 1e-15);
        }
    }
}

TEST(Moments, reversed_weights_have_the_mirrored_mean) {
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 1000; ++i) {
        std::vector<double> weights(1 + i % 50);
        for (double& weight : weights) weight = unit(engine);
        const auto forward = weightedMoments(weights).value();
        const auto backward = weightedMoments(std::vector<double>(weights.rbegin(), weights.rend())).value();
        EXPECT_NEAR(forward.mean + backward.mean, 1, 1e-15);
        EXPECT_NEAR(forward.variance, backward.variance, 1e-15);
    }
}

TEST(Moments, narrow_weights_far_from_zero_keep_their_variance) {
    // Two neighbours among a million: E[t^2] - m^2 would leave four digits.
    std::vector<double> weights(1000000, 0.0);
    weights[999998] = weights[999999] = 0.5;
    EXPECT_NEAR(weightedMoments(weights)->variance / 0.25e-12, 1, 1e-9);
}

TEST(Moments, rows_without_usable_weight_have_none) {
    EXPECT_FALSE(weightedMoments(std::vector<double>{}));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0, 0}));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, nan}));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, infinity}));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, -0.1}));
}

TEST(Moments, floors_keep_the_variance_away_from_zero) {
    EXPECT_EQ(flooredVariance(0, 10, VarianceFloor::Cell), 1.0 / 1200);
    EXPECT_EQ(flooredVariance(0, 10, VarianceFloor::Clip), 1.0 / 1200);
    EXPECT_EQ(flooredVariance(0, 10, VarianceFloor::None), 0);
    EXPECT_EQ(flooredVariance(0.5, 10, VarianceFloor::Cell), 0.5 + 1.0 / 1200);
    EXPECT_EQ(flooredVariance(0.5, 10, VarianceFloor::Clip), 0.5);
    EXPECT_THROW(flooredVariance(0.5, 0, VarianceFloor::Cell), PreconditionError);
}

TEST(MomentsReference, moments_and_floors_meet_the_exact_values) {
    const auto cases = test::referenceCases("one_d", "floor_eps");
    if (cases.empty()) GTEST_SKIP() << "no 1D moments in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["name"].dump() + " of length " + entry["L"].dump());
        const auto weights = numbers(entry["weights"], 0);
        const auto check = [&](const char* name, Positions positions) {
            const auto moments = weightedMoments(weights, positions);
            ASSERT_TRUE(moments) << name;
            EXPECT_NEAR(moments->mean, number(entry[name]["mean"]), 1e-14) << name;
            EXPECT_NEAR(moments->variance, number(entry[name]["variance"]), 1e-14) << name;
        };
        check("paper", Positions::Paper);
        check("midpoint", Positions::Midpoint);
        check("endpoints", Positions::Endpoints);
        const double variance = weightedMoments(weights, Positions::Paper)->variance;
        EXPECT_NEAR(clippedVariance(variance, number(entry["floor_eps"])), number(entry["variance_clip"]),
                    1e-14);
        EXPECT_NEAR(flooredVariance(variance, weights.size(), VarianceFloor::Cell),
                    number(entry["variance_cell"]), 1e-14);
    }
}

}  // namespace
}  // namespace fovea
