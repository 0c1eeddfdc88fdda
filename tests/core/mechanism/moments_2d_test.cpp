// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/moments_2d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "core/mechanism/continuous_2d.h"
#include "core/support/precondition.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using test::number;
using test::numbers;

std::vector<double> randomWeights(std::size_t count, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<double> weights(count);
    for (double& weight : weights) weight = std::max(0.0, unit(engine) - 0.3);
    weights[seed % count] += 1;
    return weights;
}

/// The same picture turned a quarter: its right edge becomes its bottom edge... (x, y) -> (1 - y, x).
std::vector<double> quarterTurn(const std::vector<double>& weights, std::size_t rows, std::size_t columns) {
    std::vector<double> out(weights.size());
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) out[c * rows + (rows - 1 - r)] = weights[r * columns + c];
    }
    return out;
}

TEST(Moments2d, turning_the_grid_turns_mean_covariance_and_ellipse) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        const std::size_t rows = 1 + seed % 23;
        const std::size_t columns = 2 + seed % 31;
        const auto weights = randomWeights(rows * columns, seed);
        const auto plain = weightedMoments(weights, rows, columns).value();
        const auto turned = weightedMoments(quarterTurn(weights, rows, columns), columns, rows).value();
        EXPECT_NEAR(turned.mean.x(), 1 - plain.mean.y(), 1e-14);
        EXPECT_NEAR(turned.mean.y(), plain.mean.x(), 1e-14);
        EXPECT_NEAR(turned.covariance(0, 0), plain.covariance(1, 1), 1e-15);
        EXPECT_NEAR(turned.covariance(1, 1), plain.covariance(0, 0), 1e-15);
        EXPECT_NEAR(turned.covariance(0, 1), -plain.covariance(0, 1), 1e-15);
        for (const VarianceFloor floor : {VarianceFloor::Cell, VarianceFloor::Clip}) {
            const auto ellipse = [&](const Moments2d& moments, std::size_t r, std::size_t c) {
                const Moments2d floored{moments.mean, flooredCovariance(moments.covariance, r, c, floor)};
                return *Density2d::fromMoments(floored, MomentMatching::Moments, {2, 1})->support();
            };
            const Ellipse before = ellipse(plain, rows, columns);
            const Ellipse after = ellipse(turned, columns, rows);
            EXPECT_NEAR(after.major, before.major, 1e-12);
            EXPECT_NEAR(after.minor, before.minor, 1e-12);
            const double roundness = before.major / before.minor - 1;
            if (roundness < 1e-3) continue;  // the axis of a circle is any
            const double turn =
                std::remainder(after.angle - before.angle - std::numbers::pi / 2, std::numbers::pi);
            EXPECT_NEAR(turn, 0, 1e-12 / roundness);
        }
    }
}

TEST(Moments2d, one_row_or_column_has_the_moments_of_a_line) {
    const auto weights = randomWeights(40, 3);
    const auto line = weightedMoments(weights).value();
    const auto row = weightedMoments(weights, 1, 40).value();
    const auto column = weightedMoments(weights, 40, 1).value();
    EXPECT_NEAR(row.mean.x(), line.mean, 1e-15);
    EXPECT_EQ(row.mean.y(), 0.5);
    EXPECT_NEAR(row.covariance(0, 0), line.variance, 1e-15);
    EXPECT_EQ(row.covariance(1, 1), 0);
    EXPECT_NEAR(column.mean.y(), line.mean, 1e-15);
    EXPECT_NEAR(column.covariance(1, 1), line.variance, 1e-15);
}

TEST(Moments2d, do_not_depend_on_the_scale_of_the_weights) {
    const auto weights = randomWeights(24 * 31, 4);
    const auto expected = weightedMoments(weights, 24, 31).value();
    for (const double scale : {1e-310, 1e-300, 1e-7, 3.0, 1e307}) {
        auto scaled = weights;
        for (double& weight : scaled) weight *= scale;
        const auto found = weightedMoments(scaled, 24, 31).value();
        const double tolerance = scale < 1e-305 ? 1e-10 : 1e-15;
        EXPECT_LE((found.mean - expected.mean).norm(), tolerance);
        EXPECT_LE((found.covariance - expected.covariance).norm(), tolerance);
    }
}

TEST(Moments2d, narrow_weights_far_from_zero_keep_their_variance) {
    // Two neighbours in the last row of many: E[x^2] - m^2 would leave no digit.
    const std::size_t columns = 3000;
    std::vector<double> weights(2 * columns, 0.0);
    weights[2 * columns - 2] = weights[2 * columns - 1] = 0.5;
    const auto moments = weightedMoments(weights, 2, columns).value();
    EXPECT_NEAR(moments.covariance(0, 0) * 4 * columns * columns, 1, 1e-9);
    EXPECT_EQ(moments.covariance(1, 1), 0);
}

TEST(Moments2d, rows_without_usable_weight_have_none) {
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_FALSE(weightedMoments(std::vector<double>{}, 0, 0));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0, 0, 0, 0}, 2, 2));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, std::nan(""), 0, 1}, 2, 2));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, 0.5, 0, infinity}, 2, 2));
    EXPECT_FALSE(weightedMoments(std::vector<double>{0.5, -0.1, 1, 1}, 2, 2));
    EXPECT_THROW(weightedMoments(std::vector<double>{1, 1, 1}, 2, 2), PreconditionError);
}

TEST(Moments2d, floors_keep_the_covariance_away_from_singular) {
    const Eigen::Matrix2d zero = Eigen::Matrix2d::Zero();
    const Eigen::Matrix2d cell = flooredCovariance(zero, 4, 10, VarianceFloor::Cell);
    EXPECT_EQ(cell(0, 0), 1.0 / 1200);
    EXPECT_EQ(cell(1, 1), 1.0 / (12 * 16));
    EXPECT_EQ(cell(0, 1), 0);
    const Eigen::Matrix2d clip = flooredCovariance(zero, 4, 10, VarianceFloor::Clip);
    EXPECT_EQ(clip, (1.0 / 1200) * Eigen::Matrix2d::Identity());
    EXPECT_EQ(flooredCovariance(zero, 4, 10, VarianceFloor::None), zero);
    // Only the eigenvalue below the bound is raised.
    Eigen::Matrix2d line;
    line << 0.5, 0.5, 0.5, 0.5;
    const Eigen::Matrix2d raised = clippedCovariance(line, 0.1);
    EXPECT_NEAR(raised(0, 0), 0.55, 1e-15);
    EXPECT_NEAR(raised(0, 1), 0.45, 1e-15);
    EXPECT_EQ(raised(0, 1), raised(1, 0));
}

Eigen::Matrix2d matrixOf(const nlohmann::json& rows) {
    Eigen::Matrix2d matrix;
    matrix << number(rows[0][0]), number(rows[0][1]), number(rows[1][0]), number(rows[1][1]);
    return matrix;
}

TEST(Moments2dReference, moments_and_floors_meet_the_exact_values) {
    const auto cases = test::referenceCases("two_d", "floor_eps");
    if (cases.empty()) GTEST_SKIP() << "no 2D moments in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["name"].dump() + entry["rows"].dump() + " x " + entry["cols"].dump());
        const auto rows = entry["rows"].get<std::size_t>();
        const auto columns = entry["cols"].get<std::size_t>();
        std::vector<double> weights;
        for (const auto& row : entry["weights"]) {
            for (const double weight : numbers(row, 0)) weights.push_back(weight);
        }
        const auto moments = weightedMoments(weights, rows, columns);
        ASSERT_TRUE(moments);
        const auto near = [](const Eigen::Matrix2d& found, const nlohmann::json& expected, const char* name) {
            EXPECT_LE((found - matrixOf(expected)).cwiseAbs().maxCoeff(), 1e-14) << name;
        };
        EXPECT_NEAR(moments->mean.x(), number(entry["mean"][0]), 1e-14);
        EXPECT_NEAR(moments->mean.y(), number(entry["mean"][1]), 1e-14);
        near(moments->covariance, entry["covariance"], "covariance");
        near(clippedCovariance(moments->covariance, number(entry["floor_eps"])), entry["covariance_clip"],
             "clip");
        near(flooredCovariance(moments->covariance, rows, columns, VarianceFloor::Cell),
             entry["covariance_cell"], "cell");
        // A slightly larger shape has the eigenvalues, so that singular ones are compared too.
        const Eigen::Matrix2d lifted = moments->covariance + Eigen::Matrix2d::Identity();
        const Ellipse axes = ellipseOf(moments->mean, lifted);
        EXPECT_NEAR(axes.major * axes.major - 1, number(entry["eigenvalues"][0]), 1e-14);
        EXPECT_NEAR(axes.minor * axes.minor - 1, number(entry["eigenvalues"][1]), 1e-14);
    }
}

}  // namespace
}  // namespace fovea
