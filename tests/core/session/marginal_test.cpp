// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/marginal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fovea::session {

namespace {

// The midpoint rule over the other coordinate.
double integrated(const Density2d& density, PictureAxis axis, double at) {
    constexpr int steps = 200'000;
    constexpr double low = -3, high = 4;
    double sum = 0;
    for (int i = 0; i < steps; ++i) {
        const double other = low + (high - low) * (i + 0.5) / steps;
        sum += density(axis == PictureAxis::X ? Eigen::Vector2d(at, other) : Eigen::Vector2d(other, at));
    }
    return sum * (high - low) / steps;
}

}  // namespace

TEST(Marginal, is_the_density_integrated_over_the_other_coordinate) {
    Eigen::Matrix2d scale;
    scale << 0.03, 0.01, 0.01, 0.05;
    for (const double alpha : {1.0, 1.2, 1.5, 2.0, 3.5, std::numeric_limits<double>::infinity()}) {
        const auto density =
            Density2d::fromMoments({Eigen::Vector2d(0.4, 0.6), scale}, MomentMatching::Moments, {alpha, 1});
        ASSERT_TRUE(density) << density.error().message;
        for (const PictureAxis axis : {PictureAxis::X, PictureAxis::Y}) {
            const auto marginal = marginalOf(*density, axis);
            ASSERT_TRUE(marginal) << alpha;
            for (const double at : {0.2, 0.5, 0.61, 1.4}) {
                EXPECT_NEAR((*marginal)(at), integrated(*density, axis, at), 2e-4) << alpha << ' ' << at;
            }
        }
    }
}

TEST(Marginal, of_a_heavy_tail_keeps_its_degrees_of_freedom) {
    Eigen::Matrix2d scale;
    scale << 0.003, 0.001, 0.001, 0.005;
    for (const double alpha : {0.4, 0.6, 0.9, 1 - 1e-5}) {
        const auto density = Density2d::fromScale(Eigen::Vector2d(0.4, 0.6), scale, {alpha, 1});
        ASSERT_TRUE(density) << density.error().message;
        for (const PictureAxis axis : {PictureAxis::X, PictureAxis::Y}) {
            const auto marginal = marginalOf(*density, axis);
            ASSERT_TRUE(marginal) << alpha;
            // The strip below a place holds the marginal's mass below it.
            for (const double at : {0.2, 0.5, 0.9}) {
                const double strip = axis == PictureAxis::X ? density->massIn(-1e6, -1e6, at, 1e6)
                                                            : density->massIn(-1e6, -1e6, 1e6, at);
                EXPECT_NEAR(marginal->cdf(at), strip, alpha > 0.5 ? 1e-11 : 1e-8) << alpha << ' ' << at;
            }
        }
    }
    const auto heavier = Density2d::fromScale(Eigen::Vector2d(0.4, 0.6), scale, {0.3, 1}).value();
    EXPECT_FALSE(marginalOf(heavier, PictureAxis::X));
}

TEST(Marginal, sums_weights_along_rows_and_columns_without_the_other_positions) {
    const PatchGrid grid{2, 3, 1};
    const std::vector<double> weights{9, 1, 2, 3, 10, 20, std::nan("")};
    EXPECT_EQ(marginalWeights(weights, grid, PictureAxis::X), (std::vector<double>{11, 22, 3}));
    EXPECT_EQ(marginalWeights(weights, grid, PictureAxis::Y), (std::vector<double>{6, 30}));
}

}  // namespace fovea::session
