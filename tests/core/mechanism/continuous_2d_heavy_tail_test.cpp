// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>

#include "core/mechanism/continuous_2d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

const std::vector<double> heavyAlphas{0.1, 0.3, 0.5, 0.6, 0.85, 0.99, 1 - 1e-5};

Eigen::Matrix2d symmetric(double xx, double xy, double yy) {
    Eigen::Matrix2d matrix;
    matrix << xx, xy, xy, yy;
    return matrix;
}

const Eigen::Vector2d somewhere(0.3, 0.55);
const Eigen::Matrix2d slanted = symmetric(0.02, -0.006, 0.01);

Density2d density(double alpha, double temperature = 1) {
    return Density2d::fromScale(somewhere, slanted, {alpha, temperature}).value();
}

double relative(const Eigen::Matrix2d& found, const Eigen::Matrix2d& expected) {
    return (found - expected).cwiseAbs().maxCoeff() / expected.cwiseAbs().maxCoeff();
}

TEST(HeavyTailed2d, is_the_deformed_exponential_of_its_score) {
    for (const double alpha : heavyAlphas) {
        const Density2d p = density(alpha, 0.7);
        EXPECT_FALSE(p.support() || p.supportShape() || p.radius() || p.exponent());
        EXPECT_NEAR(*p.degreesOfFreedom(), 2 / (1 - alpha) - 2, 1e-9 * *p.degreesOfFreedom());
        EXPECT_GT(*p.lambda(), 0);
        for (const Eigen::Vector2d& x : {somewhere, Eigen::Vector2d(0.5, 0.5), Eigen::Vector2d(-2, 3)}) {
            const Eigen::Vector2d d = x - somewhere;
            const double score = -d.dot(p.scale().inverse() * d) / 2;
            const double logValue = std::log((alpha - 1) * (score - *p.lambda())) / (alpha - 1);
            // lambda (alpha - 1) is near 1 near alpha = 1, and its logarithm loses digits there.
            EXPECT_NEAR(std::log(p(x)), logValue, 1e-12 + 1e-14 / (1 - alpha) * std::abs(logValue)) << alpha;
        }
    }
}

TEST(HeavyTailed2d, regions_hold_their_mass) {
    for (const double alpha : heavyAlphas) {
        const Density2d p = density(alpha);
        const double nu = *p.degreesOfFreedom();
        double before = 0;
        EXPECT_EQ(p.regionFactor(0), 0);
        EXPECT_EQ(p.regionFactor(1), infinity);
        for (const double mass : {1e-9, 0.01, 0.5, 0.9, 1 - 1e-9}) {
            const double factor = p.regionFactor(mass);
            EXPECT_GT(factor, before);
            before = factor;
            EXPECT_NEAR(std::exp(-nu / 2 * std::log1p(factor / nu)) / (1 - mass), 1, 1e-10) << alpha;
            // A square around an uncorrelated region of almost all mass holds at least as much.
            const Ellipse region = p.region(mass);
            EXPECT_GE(p.massIn(somewhere.x() - region.major, somewhere.y() - region.major,
                               somewhere.x() + region.major, somewhere.y() + region.major),
                      mass - 1e-13);
        }
    }
}

TEST(HeavyTailed2d, masses_of_a_partition_and_outside_sum_to_one) {
    for (const double alpha : heavyAlphas) {
        const Density2d p = density(alpha);
        const auto cells = p.massOfCells(7, 9);
        const double sum = std::accumulate(cells.begin(), cells.end(), 0.0);
        EXPECT_NEAR(sum + p.massOutsideUnit(), 1, 1e-13) << alpha;
        EXPECT_NEAR(p.massIn(1.0 / 9, 2.0 / 7, 2.0 / 9, 3.0 / 7), cells[2 * 9 + 1], 1e-14);
        EXPECT_NEAR(p.massIn(-1e200, -1e200, 1e200, 1e200), 1, alpha > 0.2 ? 1e-13 : 1e-9) << alpha;
    }
}

TEST(HeavyTailed2d, mass_of_a_rectangle_is_the_integral_over_it) {
    for (const double alpha : heavyAlphas) {
        const Density2d p = density(alpha);
        constexpr int steps = 400;
        double sum = 0;
        for (int i = 0; i < steps; ++i) {
            for (int j = 0; j < steps; ++j) {
                sum += p({0.35 + 0.5 * (i + 0.5) / steps, 0.1 + 0.4 * (j + 0.5) / steps});
            }
        }
        EXPECT_NEAR(p.massIn(0.35, 0.1, 0.85, 0.5), 0.2 * sum / (steps * steps), 1e-4) << alpha;
    }
}

TEST(HeavyTailed2d, far_masses_follow_the_power_of_the_tail) {
    // nu = 3: within a cone towards a far corner the mass falls as distance^-3.
    const Density2d p = density(0.6);
    const double near = p.massIn(1e3, 1e3, 2e3, 2e3);
    EXPECT_GT(near, 0);
    EXPECT_NEAR(p.massIn(1e5, 1e5, 2e5, 2e5) / near * 1e6, 1, 2e-3);
}

TEST(HeavyTailed2d, covariance_and_tsallis_entropy_end_at_one_half) {
    for (const double alpha : {0.1, 0.5}) {
        EXPECT_TRUE((density(alpha).covariance().array() == infinity).all());
        EXPECT_EQ(density(alpha).tsallisEntropy(), infinity);
    }
    const Density2d p = density(0.75);  // nu = 6
    EXPECT_LE(relative(p.covariance(), 1.5 * p.levelShape()), 1e-14);
    // int p^0.75 = K^-0.25 E[1 + q/nu], and E[1 + q/nu] = nu/(nu - 2).
    const double integral = std::pow(p.peak(), -0.25) * 1.5;
    EXPECT_NEAR(p.tsallisEntropy(), (1 - integral) / (0.75 * -0.25), 1e-12);
    EXPECT_TRUE(std::isfinite(density(0.1).shannonEntropy()));
}

TEST(HeavyTailed2d, joins_the_gaussian_from_below) {
    const Density2d gaussian = density(1);
    EXPECT_FALSE(density(1 - 1e-7).degreesOfFreedom());
    for (const double step : {2e-6, 1e-5, 1e-4}) {
        const Density2d near = density(1 - step);
        EXPECT_LE(relative(near.covariance(), gaussian.covariance()), 20 * step);
        EXPECT_NEAR(near.peak() / gaussian.peak(), 1, 20 * step);
        EXPECT_NEAR(near.shannonEntropy(), gaussian.shannonEntropy(), 20 * step);
        EXPECT_NEAR(near.tsallisEntropy(), gaussian.tsallisEntropy(), 200 * step);
        EXPECT_NEAR(near.massOutsideUnit(), gaussian.massOutsideUnit(), 20 * step);
        EXPECT_NEAR(near.region(0.5).major / gaussian.region(0.5).major, 1, 20 * step);
    }
}

TEST(HeavyTailed2d, temperature_stretches_all_lengths_by_its_power) {
    for (const double alpha : heavyAlphas) {
        for (const double temperature : {0.05, 0.7, 20.0}) {
            const double stretch = std::pow(temperature, 1 / (2 * alpha));
            EXPECT_NEAR(density(alpha, temperature).region(0.5).major / density(alpha).region(0.5).major,
                        stretch, 1e-9 * stretch);
        }
    }
}

TEST(HeavyTailed2d, matched_density_has_the_moments_that_it_was_made_of) {
    for (const double alpha : {0.55, 0.6, 0.85, 0.99, 1 - 1e-5}) {
        const auto p = Density2d::fromMoments({somewhere, slanted}, MomentMatching::Moments, {alpha, 1});
        ASSERT_TRUE(p) << p.error().message;
        EXPECT_LE(relative(p->covariance(), slanted), 1e-13);
        const auto again = Density2d::fromScale(somewhere, p->scale(), {alpha, 1});
        ASSERT_TRUE(again);
        EXPECT_LE(relative(again->covariance(), slanted), 1e-12);
        EXPECT_NEAR(*again->lambda() / *p->lambda(), 1, 1e-12);
    }
    for (const double alpha : {0.2, 0.5}) {
        const auto refused =
            Density2d::fromMoments({somewhere, slanted}, MomentMatching::Moments, {alpha, 1});
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("above 1/2"), std::string::npos) << refused.error().message;
        const auto paper = Density2d::fromMoments({somewhere, slanted}, MomentMatching::Paper, {alpha, 1});
        ASSERT_TRUE(paper);
        EXPECT_LE(relative(paper->scale(), slanted), 1e-15);
    }
}

TEST(HeavyTailed2d, a_shape_out_of_the_range_of_numbers_is_refused) {
    const auto refused = Density2d::fromScale(somewhere, 1e-5 * slanted, {1e-3, 1});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("range of numbers"), std::string::npos) << refused.error().message;
}

TEST(HeavyTailed2d, meets_the_exact_values) {
    const auto cases = test::referenceCases("heavy_tailed", "t_scale");
    int used = 0;
    for (const auto& entry : cases) {
        if (!entry["mu"].is_array()) continue;  // of one dimension
        ++used;
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const auto matrix = [](const nlohmann::json& m) {
            return symmetric(test::number(m[0][0]), test::number(m[0][1]), test::number(m[1][1]));
        };
        const auto point = [](const nlohmann::json& x) {
            return Eigen::Vector2d(test::number(x[0]), test::number(x[1]));
        };
        const auto p =
            Density2d::fromScale(point(entry["mu"]), matrix(entry["Sigma"]),
                                 {test::number(entry["alpha"]), test::number(entry["temperature"])});
        ASSERT_TRUE(p) << p.error().message;
        EXPECT_NEAR(*p->degreesOfFreedom() / test::number(entry["nu"]), 1, 1e-13);
        EXPECT_NEAR(*p->lambda() / test::number(entry["lambda_"]), 1, 1e-12);
        EXPECT_LE(relative(p->levelShape(), matrix(entry["t_scale"])), 1e-12);
        EXPECT_EQ(p->covariance().allFinite(), !entry["covariance"].is_null());
        if (!entry["covariance"].is_null()) {
            EXPECT_LE(relative(p->covariance(), matrix(entry["covariance"])), 1e-12);
        }
        for (std::size_t i = 0; i < entry["x"].size(); ++i) {
            EXPECT_NEAR((*p)(point(entry["x"][i])) / test::number(entry["pdf"][i]), 1, 1e-12);
        }
        for (std::size_t i = 0; i < entry["q_levels"].size(); ++i) {
            const Ellipse region = p->region(test::number(entry["q_levels"][i]));
            EXPECT_NEAR(region.major / test::number(entry["q_semi_axes"][i][0]), 1, 1e-12);
            EXPECT_NEAR(region.minor / test::number(entry["q_semi_axes"][i][1]), 1, 1e-12);
        }
    }
    if (used == 0) GTEST_SKIP() << "no heavy-tailed 2D density in the reference";
}

}  // namespace
}  // namespace fovea
