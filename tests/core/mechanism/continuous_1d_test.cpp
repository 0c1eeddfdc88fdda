// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/continuous_1d.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "core/support/precondition.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Density1d density(double mean, double scale, double alpha, double temperature = 1) {
    return Density1d::fromScale(mean, scale, {alpha, temperature}).value();
}

/// Integral over [low, high] by the tanh-sinh rule, which forgives singular ends.
template <class Integrand>
double integral(double low, double high, Integrand integrand) {
    const double half = (high - low) / 2;
    const double step = 1.0 / 64;
    double sum = 0;
    for (int k = -256; k <= 256; ++k) {
        const double t = step * k;
        const double u = std::numbers::pi / 2 * std::sinh(t);
        const double cosh = std::cosh(u);
        const double x = low + half + half * std::tanh(u);
        if (!(x > low && x < high)) continue;
        sum += integrand(x) * std::numbers::pi / 2 * std::cosh(t) / (cosh * cosh);
    }
    return sum * half * step;
}

/// Where practically all of the mass lies.
Interval reach(const Density1d& p) {
    const double sd = std::sqrt(p.variance());
    const double half = std::min(p.halfWidth().value_or(infinity), 12 * sd);
    return {p.mean() - half, p.mean() + half};
}

/// Random densities from nearly Gaussian to nearly uniform.
std::vector<Density1d> someDensities(std::uint64_t seed, int count) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Density1d> drawn;
    for (int i = 0; i < count; ++i) {
        const double kind = unit(engine);
        const double alpha = kind < 0.1   ? 1
                             : kind < 0.3 ? 1 + std::exp(-13 * unit(engine))
                             : kind < 0.9 ? 1 + 9 * unit(engine)
                                          : 10 + 90 * unit(engine);
        const double mean = unit(engine);
        const double scale = std::exp(4 - 12 * unit(engine));
        drawn.push_back(density(mean, scale, alpha, std::exp(2 - 4 * unit(engine))));
    }
    return drawn;
}

TEST(Density1d, integrates_to_one_with_its_own_mean_and_variance) {
    for (const auto& p : someDensities(1, 1500)) {
        const auto [low, high] = reach(p);
        const double mass = integral(low, high, p);
        EXPECT_NEAR(mass, 1, 1e-10) << "alpha " << p.alpha();
        const double mean = integral(low, high, [&](double x) { return x * p(x); });
        EXPECT_NEAR(mean, p.mean(), 1e-10 * (high - low + 1));
        const double square =
            integral(low, high, [&](double x) { return (x - p.mean()) * (x - p.mean()) * p(x); });
        EXPECT_NEAR(square / p.variance(), 1, 1e-10) << "alpha " << p.alpha();
    }
}

TEST(Density1d, entropies_are_the_integrals_that_define_them) {
    for (const auto& p : someDensities(2, 1500)) {
        const auto [low, high] = reach(p);
        const double shannon = integral(low, high, [&](double x) {
            const double at = p(x);
            return at > 0 ? -at * std::log(at) : 0.0;
        });
        EXPECT_NEAR(p.shannonEntropy(), shannon, 1e-9) << "alpha " << p.alpha();
        const double a = p.alpha();
        if (a < 1.01) {
            // (1 - int p^alpha) cancels here; the two entropies meet at alpha = 1.
            EXPECT_NEAR(p.tsallisEntropy(), p.shannonEntropy(), 20 * (a - 1) + 1e-12);
            continue;
        }
        const double power = integral(low, high, [&](double x) { return std::pow(p(x), a); });
        const double tsallis = (1 - power) / (a * (a - 1));
        EXPECT_NEAR(p.tsallisEntropy(), tsallis, 1e-8 * std::max(1.0, std::abs(tsallis))) << "alpha " << a;
    }
}

TEST(Density1d, cdf_is_the_integral_of_the_density) {
    for (const auto& p : someDensities(3, 500)) {
        const auto [low, high] = reach(p);
        for (const double part : {0.02, 0.3, 0.5, 0.77, 0.999}) {
            const double x = low + part * (high - low);
            EXPECT_NEAR(p.cdf(x), integral(low, x, p), 1e-10) << "alpha " << p.alpha() << " part " << part;
        }
        EXPECT_NEAR(p.massOutsideUnit(), p.cdf(0) + 1 - p.cdf(1), 1e-14);
    }
}

TEST(Density1d, regions_hold_their_mass_and_are_nested) {
    for (const auto& p : someDensities(4, 500)) {
        double before = 0;
        for (const double mass : {1e-6, 0.1, 0.5, 0.9, 0.999}) {
            const auto [low, high] = p.region(mass);
            EXPECT_NEAR(p.cdf(high) - p.cdf(low), mass, 2e-12) << "alpha " << p.alpha();
            EXPECT_GT(p.regionHalfWidth(mass), before);
            before = p.regionHalfWidth(mass);
        }
        EXPECT_EQ(p.regionHalfWidth(0), 0);
        EXPECT_EQ(p.regionHalfWidth(1), p.halfWidth().value_or(infinity));
    }
}

TEST(Density1d, is_the_deformed_exponential_of_its_score) {
    // p(x) = [(alpha-1)(f(x) - lambda)]_+^e with f(x) = -(x - mean)^2/(2T).
    for (const auto& p : someDensities(5, 1500)) {
        if (!p.lambda() || p.alpha() < 1.01) continue;
        for (const double part : {0.0, 0.3, -0.9}) {
            const double distance = part * *p.halfWidth();
            const double score = -distance * distance / (2 * p.scale());
            const double expected = std::pow((p.alpha() - 1) * (score - *p.lambda()), 1 / (p.alpha() - 1));
            EXPECT_NEAR(p(p.mean() + distance), expected, 1e-11 * p.peak()) << "alpha " << p.alpha();
        }
    }
}

TEST(Density1d, at_alpha_two_is_the_truncated_parabola) {
    for (const double scale : {1e-8, 0.03, 40.0}) {
        const auto p = density(0.4, scale, 2);
        const double a = std::cbrt(1.5 * scale);
        EXPECT_NEAR(*p.halfWidth() / a, 1, 1e-14);
        EXPECT_NEAR(*p.lambda() / (-0.5 * std::cbrt(9 / (4 * scale))), 1, 1e-14);
        EXPECT_NEAR(p(0.4 + a / 2) * 16 * a / 9, 1, 1e-13);
        EXPECT_NEAR(p.variance() * 5 / (a * a), 1, 1e-14);
    }
}

TEST(Density1d, radius_meets_its_closed_forms) {
    EXPECT_NEAR(*density(0, 1, 2).radius(), 1.1447142425533319, 1e-15);
    EXPECT_NEAR(*density(0, 1, 1.5).radius(), std::pow(15, 0.2), 1e-14);
    EXPECT_NEAR(*density(0, 1, 4.0 / 3).radius(), std::pow(945.0 / 4, 1.0 / 7), 1e-14);
    EXPECT_NEAR(*density(0, 1, infinity).radius(), 0.5, 1e-15);
}

TEST(Density1d, joins_the_gaussian_without_a_step) {
    const auto gaussian = density(0.3, 0.02, 1, 2);
    EXPECT_FALSE(gaussian.support());
    EXPECT_DOUBLE_EQ(gaussian.variance(), 0.04);
    double before = 1;
    for (const double above : {1e-3, 1e-4, 1e-5, 1.001e-6}) {
        const auto p = density(0.3, 0.02, 1 + above, 2);
        const double step = std::max({std::abs(p(0.35) - gaussian(0.35)),
                                      std::abs(p.cdf(-0.2) - gaussian.cdf(-0.2)),
                                      std::abs(p.variance() - gaussian.variance()),
                                      std::abs(p.tsallisEntropy() - gaussian.tsallisEntropy()),
                                      std::abs(p.shannonEntropy() - gaussian.shannonEntropy()),
                                      std::abs(p.regionHalfWidth(0.9) - gaussian.regionHalfWidth(0.9))});
        EXPECT_LT(step, 5 * above);
        EXPECT_LT(step, before);
        before = step;
    }
    EXPECT_EQ(density(0.3, 0.02, 1.0000001, 2)(0.35), gaussian(0.35));
}

TEST(Density1d, extreme_scales_and_alphas_meet_high_precision_values) {
    struct Golden {
        double mean, scale, alpha, temperature, halfWidth, radius, lambda, variance, peak, shannon, tsallis;
    };
    const std::vector<Golden> golden = {
        {0.5, 3e-22, 10, 1, 0.0057608187733846256744, 0.52132620252707319574, -55311721566301240.214,
         0.000010299424015794023733, 92.542230962999165477, -4.4672777930601632542, -3814601487331120.0036},
        {0.25, 0.01, 1.001, 2, 6.3278352291352078708, 44.700834818229908292, -1001.0374671771156966,
         0.019990763198741999684, 2.8205428879138835093, -0.53730413000688899156, -0.53716093610091163727},
        {0.5, 0.0078125, 100, 1, 0.46764129351917744447, 0.49065510089410593462, -13.996056281874526216,
         0.072408526959948688095, 1.0758054651981896949, -0.066942256114038729196, -0.093518095463368000769},
        {0.75, 3e-22, 1.5, 1, 4.2273358599129988847e-9, 1.718771927587478777, -29783.947454177290438,
         2.5529097817866248187e-18, 221770881.48829847507, -18.856410730428792874, -17018.065211910832631},
    };
    for (const auto& g : golden) {
        SCOPED_TRACE(g.alpha);
        const auto p = density(g.mean, g.scale, g.alpha, g.temperature);
        EXPECT_NEAR(*p.halfWidth() / g.halfWidth, 1, 1e-14);
        EXPECT_NEAR(*p.radius() / g.radius, 1, 1e-14);
        EXPECT_NEAR(*p.lambda() / g.lambda, 1, 1e-13);
        EXPECT_NEAR(p.variance() / g.variance, 1, 1e-14);
        EXPECT_NEAR(p.peak() / g.peak, 1, 1e-14);
        EXPECT_NEAR(p.shannonEntropy() / g.shannon, 1, 1e-13);
        EXPECT_NEAR(p.tsallisEntropy() / g.tsallis, 1, 1e-12);
    }
}

TEST(Density1d, mass_far_outside_keeps_its_digits) {
    EXPECT_NEAR(density(0.5, 0.00027, 1).massOutsideUnit() / 2.2694677754363104275e-203, 1, 1e-12);
    EXPECT_NEAR(density(0.5, 0.0006, 1.002).massOutsideUnit() / 1.510039371705270348e-118, 1, 1e-11);
    EXPECT_EQ(density(0.5, 1e-6, 2).massOutsideUnit(), 0);
    EXPECT_EQ(density(7, 1e-6, 2).massOutsideUnit(), 1);
}

TEST(Density1d, at_infinite_alpha_is_uniform_of_length_one_whatever_the_scale) {
    for (const double scale : {3e-22, 1.0, 1e8}) {
        const auto p = density(0.5, scale, infinity, 3);
        EXPECT_NEAR(*p.halfWidth(), 0.5, 1e-15);
        EXPECT_NEAR(p(0.9), 1, 1e-15);
        EXPECT_EQ(p(1.1), 0);
        EXPECT_NEAR(p.cdf(0.3), 0.3, 1e-15);
        EXPECT_NEAR(p.variance(), 1.0 / 12, 1e-16);
        EXPECT_NEAR(p.shannonEntropy(), 0, 1e-15);
        EXPECT_EQ(p.tsallisEntropy(), 0);
        EXPECT_NEAR(p.regionHalfWidth(0.3), 0.15, 1e-15);
    }
}

TEST(Density1d, matched_moments_are_the_density_s_own) {
    std::mt19937_64 engine(6);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 4000; ++i) {
        const Moments1d moments{unit(engine), std::exp(-20 * unit(engine))};
        const double alpha = i % 10 == 0 ? infinity : 1 + 9 * unit(engine) * unit(engine);
        const auto p = Density1d::fromMoments(moments, MomentMatching::Moments, {alpha, 1}).value();
        EXPECT_EQ(p.mean(), moments.mean);
        EXPECT_NEAR(p.variance() / moments.variance, 1, 1e-14);
        if (std::isinf(alpha)) continue;
        // The scale it reports leads to the same density.
        const auto again = density(moments.mean, p.scale(), alpha);
        EXPECT_NEAR(again.variance() / moments.variance, 1, 1e-12) << "alpha " << alpha;
        EXPECT_NEAR(again.lambda().value_or(-1) / p.lambda().value_or(-1), 1, 1e-12);
    }
}

TEST(Density1d, temperature_multiplies_the_scale_after_either_matching) {
    for (const double alpha : {1.0, 1.2, 2.0, 7.0}) {
        for (const auto matching : {MomentMatching::Moments, MomentMatching::Paper}) {
            const auto cool = Density1d::fromMoments({0.5, 0.01}, matching, {alpha, 1}).value();
            const auto warm = Density1d::fromMoments({0.5, 0.01}, matching, {alpha, 4}).value();
            EXPECT_NEAR(warm.scale() / cool.scale(), 4, 1e-12);
            // Lengths grow with T^(1/(alpha+1)).
            EXPECT_NEAR(std::sqrt(warm.variance() / cool.variance()), std::pow(4, 1 / (alpha + 1)), 1e-12);
        }
    }
}

TEST(Density1d, paper_matching_changes_the_variance_above_alpha_one) {
    const auto p = Density1d::fromMoments({0.5, 0.01}, MomentMatching::Paper, {2, 1}).value();
    EXPECT_NEAR(p.variance(), 0.0122, 5e-5);
    EXPECT_NEAR(*p.halfWidth(), 0.247, 5e-4);
}

TEST(Density1d, one_hot_weights_get_the_variance_of_one_cell) {
    const std::vector<double> weights = {0, 0, 1, 0};
    const auto moments = weightedMoments(weights).value();
    EXPECT_EQ(moments.variance, 0);
    EXPECT_FALSE(Density1d::fromMoments(moments, MomentMatching::Moments, {2, 1}));
    for (const auto floor : {VarianceFloor::Cell, VarianceFloor::Clip}) {
        const Moments1d floored{moments.mean, flooredVariance(moments.variance, 4, floor)};
        for (const double alpha : {0.5, 1.0, 1.000002, 2.0, 10.0, infinity}) {
            const auto p = Density1d::fromMoments(floored, MomentMatching::Moments, {alpha, 1}).value();
            EXPECT_NEAR(p.variance(), 1.0 / (12 * 16), 1e-16) << alpha;
        }
    }
}

TEST(Density1d, no_gamma_function_overflows_near_alpha_one) {
    // Gamma(e + 1) leaves the range of double below alpha = 1.006, as does (2e)^e.
    for (const double distance : {0.006, 1e-3, 1e-4, 1e-5, 1.001e-6}) {
        for (const double alpha : {1 + distance, 1 - distance}) {
            const auto p = density(0.5, 0.01, alpha), gaussian = density(0.5, 0.01, 1);
            EXPECT_NEAR(p.peak() / gaussian.peak(), 1, 2 * distance) << alpha;
            EXPECT_NEAR(p.variance() / gaussian.variance(), 1, 6 * distance) << alpha;
            EXPECT_NEAR(p.regionHalfWidth(0.5) / gaussian.regionHalfWidth(0.5), 1, 2 * distance) << alpha;
            EXPECT_TRUE(std::isfinite(p.length()) && std::isfinite(*p.lambda())) << alpha;
            EXPECT_NEAR(p.shannonEntropy(), gaussian.shannonEntropy(), 4 * distance) << alpha;
        }
    }
}

TEST(Density1d, a_scale_is_never_refused_for_being_small) {
    for (const double scale : {3e-22, 1e-300, 5e-324}) {
        for (const double alpha : {1.0, 1.000002, 1.5, 10.0, 1e6}) {
            const auto p = density(0.5, scale, alpha);
            EXPECT_GT(p.peak(), 0);
            EXPECT_TRUE(std::isfinite(p.peak())) << scale << " " << alpha;
            EXPECT_NEAR(p.cdf(0.5), 0.5, 1e-15);
            EXPECT_GT(p.regionHalfWidth(0.5), 0);
        }
    }
}

TEST(Density1d, parameters_outside_their_domain_are_refused) {
    for (const double bad : {0.0, -0.0, -1.0, infinity, -infinity, nan}) {
        EXPECT_FALSE(Density1d::fromScale(0.5, bad, {2, 1})) << bad;
        EXPECT_FALSE(Density1d::fromScale(0.5, 1, {2, bad})) << bad;
        EXPECT_FALSE(Density1d::fromMoments({0.5, bad}, MomentMatching::Moments, {2, 1})) << bad;
        EXPECT_FALSE(Density1d::fromMoments({0.5, bad}, MomentMatching::Paper, {2, 1})) << bad;
    }
    for (const double bad : {-0.001, 0.0, -infinity, nan}) {
        EXPECT_FALSE(Density1d::fromScale(0.5, 1, {bad, 1}));
    }
    for (const double bad : {infinity, nan}) EXPECT_FALSE(Density1d::fromScale(bad, 1, {2, 1}));
    EXPECT_FALSE(Density1d::fromScale(0.5, 1e300, {2, 1e300}));
    const auto zero = Density1d::fromScale(0.5, 0, {2, 1});
    EXPECT_EQ(zero.error().message, "scale must be finite and above 0, found 0");
    EXPECT_THROW(static_cast<void>(density(0, 1, 2).regionHalfWidth(1.5)), PreconditionError);
}

TEST(Density1d, nan_places_give_nan) {
    for (const double alpha : {1.0, 2.0}) {
        EXPECT_TRUE(std::isnan(density(0, 1, alpha)(nan)));
        EXPECT_TRUE(std::isnan(density(0, 1, alpha).cdf(nan)));
    }
}

}  // namespace
}  // namespace fovea
