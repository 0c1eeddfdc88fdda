// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/heavy_tail.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/mechanism/continuous_1d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::numbers;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Density1d density(double alpha, double temperature = 1) {
    return Density1d::fromScale(0.3, 0.02, {alpha, temperature}).value();
}

TEST(HeavyTail, tails_keep_their_digits_however_small) {
    struct Golden {
        double k, h, tail;
    };
    const std::vector<Golden> golden = {
        {1.25, 0.5, 0.30999933834821310819},   {1.25, 1e6, 2.7820894722454202159e-10},
        {4, 3, 0.000047922952859645858053},    {50, 2, 1.1229670459164248931e-36},
        {1000, 0.5, 2.738498402306214844e-99}, {1.01, 0.1, 0.46783789181859181013}};
    for (const auto& [k, h, tail] : golden) EXPECT_NEAR(heavy_tail::upperTail(h, k) / tail, 1, 1e-13) << k;
    // k = 1 is the Cauchy density.
    for (const double h : {1e-3, 1.0, 1e8, 1e200}) {
        EXPECT_NEAR(heavy_tail::upperTail(h, 1) * std::numbers::pi / std::atan(1 / h), 1, 1e-13) << h;
    }
}

TEST(HeavyTail, quantiles_undo_the_mass) {
    for (const double k : {1.0, 1.2, 1.5, 2.0, 7.0, 100.0, 4e5}) {
        for (const double mass : {1e-9, 0.1, 0.5, 0.9, 0.999}) {
            const double h = heavy_tail::centralQuantile(mass, k);
            EXPECT_NEAR(heavy_tail::centralMass(h, k) / mass, 1, 1e-14) << k << " " << mass;
            EXPECT_NEAR(2 * heavy_tail::upperTail(h, k) / (1 - mass), 1, 1e-13) << k << " " << mass;
        }
        EXPECT_EQ(heavy_tail::centralQuantile(0, k), 0);
        EXPECT_EQ(heavy_tail::centralQuantile(1, k), infinity);
    }
    EXPECT_NEAR(heavy_tail::centralQuantile(1 - 0x1p-30, 1.01) / 455985455.81390451147, 1, 1e-13);
    EXPECT_NEAR(heavy_tail::centralQuantile(0.5, 1000) / 0.015088566673760697855, 1, 1e-14);
}

TEST(HeavyTail, density_is_the_deformed_exponential_of_its_score) {
    for (const double alpha : {0.01, 0.3, 0.5, 0.9, 0.99}) {
        const auto p = density(alpha, 1.7);
        EXPECT_GT(*p.lambda(), 0);
        for (const double x : {0.3, 0.4, -2.0, 50.0}) {
            const double score = (x - 0.3) * (x - 0.3) / (2 * p.scale());
            const double base = (1 - alpha) * (*p.lambda() + score);
            EXPECT_NEAR(p(x) * std::pow(base, 1 / (1 - alpha)), 1, 1e-12) << alpha;
        }
    }
}

TEST(HeavyTail, has_a_variance_above_one_third_alone) {
    EXPECT_EQ(density(0.2).variance(), infinity);
    EXPECT_EQ(density(1.0 / 3).variance(), infinity);
    EXPECT_TRUE(std::isfinite(density(0.34).variance()));
    EXPECT_EQ(density(0.2).tsallisEntropy(), infinity);
    EXPECT_TRUE(std::isfinite(density(0.2).shannonEntropy()));
    // Nearer to 1/3, heavier tails: the variance at a fixed width has no bound.
    EXPECT_GT(density(0.3334).variance(), density(0.34).variance());
    for (const double alpha : {0.4, 0.7, 0.999}) {
        const auto p = Density1d::fromMoments({0.5, 0.01}, MomentMatching::Moments, {alpha, 1}).value();
        EXPECT_NEAR(p.variance() / 0.01, 1, 1e-14);
        const auto again = Density1d::fromScale(0.5, p.scale(), {alpha, 1}).value();
        EXPECT_NEAR(again.variance() / 0.01, 1, 1e-12);
    }
    const auto refused = Density1d::fromMoments({0.5, 0.01}, MomentMatching::Moments, {0.3, 1});
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("1/3"), std::string::npos);
    EXPECT_NE(refused.error().message.find("0.3"), std::string::npos);
    EXPECT_TRUE(Density1d::fromMoments({0.5, 0.01}, MomentMatching::Paper, {0.3, 1}));
}

TEST(HeavyTail, has_no_support_but_regions_and_mass_outside) {
    const auto p = density(0.6);
    EXPECT_FALSE(p.support() || p.halfWidth() || p.radius());
    EXPECT_EQ(p.regionHalfWidth(1), infinity);
    EXPECT_NEAR(p.massOutsideUnit(), p.cdf(0) + (1 - p.cdf(1)), 1e-15);
    EXPECT_EQ(p.cdf(infinity), 1);
    EXPECT_EQ(p.cdf(-infinity), 0);
}

TEST(HeavyTail, alpha_of_zero_or_less_is_refused_with_the_range) {
    for (const double bad : {0.0, -0.0, -0.5, -infinity, nan}) {
        const auto refused = Density1d::fromScale(0.5, 1, {bad, 1});
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("above 0"), std::string::npos) << refused.error().message;
    }
    EXPECT_TRUE(Density1d::fromScale(0.5, 1, {1e-9, 1}));
}

TEST(HeavyTailReference, densities_and_regions_meet_the_exact_values) {
    const auto cases = test::referenceCases("heavy_tailed", "q_half_width");
    std::size_t compared = 0;
    for (const auto& entry : cases) {
        if (!entry["mu"].is_number()) continue;
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const auto p = Density1d::fromScale(number(entry["mu"]), number(entry["sigma2"]),
                                            {number(entry["alpha"]), number(entry["temperature"])});
        ASSERT_TRUE(p) << p.error().message;
        EXPECT_NEAR(*p->lambda() / number(entry["lambda_"]), 1, 1e-12);
        if (const auto variance = entry.value("variance", json()); !variance.is_null()) {
            EXPECT_NEAR(p->variance() / number(variance), 1, 1e-12);
        } else {
            EXPECT_EQ(std::isinf(p->variance()), p->alpha() <= 1.0 / 3);
        }
        const auto x = numbers(entry["x"], nan), pdf = numbers(entry["pdf"], nan);
        for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR((*p)(x[i]), pdf[i], 1e-12 * p->peak());
        const auto levels = numbers(entry["q_levels"], nan), halves = numbers(entry["q_half_width"], nan);
        ASSERT_EQ(levels.size(), halves.size());
        for (std::size_t i = 0; i < levels.size(); ++i) {
            EXPECT_NEAR(p->regionHalfWidth(levels[i]) / halves[i], 1, 1e-12);
        }
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no heavy tails of one dimension in the reference";
}

}  // namespace
}  // namespace fovea
