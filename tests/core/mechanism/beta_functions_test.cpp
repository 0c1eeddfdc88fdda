// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/beta_functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace fovea::beta_functions {
namespace {

TEST(BetaFunctions, half_steps_of_gamma_meet_their_closed_forms) {
    const double halfLogPi = 0.5 * std::log(std::numbers::pi);
    EXPECT_NEAR(logGammaHalfStep(0.5), -halfLogPi, 1e-15);                         // 1/sqrt(pi)
    EXPECT_NEAR(logGammaHalfStep(1), halfLogPi - std::numbers::ln2, 1e-15);        // sqrt(pi)/2
    EXPECT_NEAR(logGammaHalfStep(1.5), std::numbers::ln2 - halfLogPi, 1e-15);      // 2/sqrt(pi)
    EXPECT_NEAR(digammaHalfStep(0.5), 2 * std::numbers::ln2, 1e-15);
    EXPECT_NEAR(digammaHalfStep(1), 2 - 2 * std::numbers::ln2, 1e-15);
}

TEST(BetaFunctions, two_half_steps_make_a_whole_one) {
    for (double x = 0.01; x < 1e9; x *= 1.37) {
        const double expected = std::log(x);
        EXPECT_NEAR(logGammaHalfStep(x) + logGammaHalfStep(x + 0.5), expected,
                    4e-15 * (1 + std::abs(expected)));
        EXPECT_NEAR(digammaHalfStep(x) + digammaHalfStep(x + 0.5), 1 / x, 4e-15 / x);
    }
}

TEST(BetaFunctions, masses_meet_their_closed_forms) {
    for (double h = 0; h <= 1; h += 1.0 / 64) {
        EXPECT_NEAR(centralMass(h, 0), h, 2e-15);
        EXPECT_NEAR(centralMass(h, 1), h * (3 - h * h) / 2, 2e-15);
        EXPECT_NEAR(centralMass(h, 2), h * (15 - h * h * (10 - 3 * h * h)) / 8, 2e-15);
        const double edge = 1 - h;
        EXPECT_NEAR(upperTail(h, 1), edge * edge * (2 + h) / 4, 4e-15 * edge * edge * (2 + h) / 4);
    }
}

TEST(BetaFunctions, for_large_exponents_masses_approach_the_gaussian) {
    const double e = 1e6;
    for (double z = 0.05; z < 6; z += 0.05) {
        const double h = z / std::sqrt(2 * e);
        EXPECT_NEAR(centralMass(h, e), std::erf(z / std::numbers::sqrt2), 2e-6);
        EXPECT_NEAR(2 * upperTail(h, e) / std::erfc(z / std::numbers::sqrt2), 1, 1e-3);
    }
}

TEST(BetaFunctions, centre_and_tails_fill_the_whole) {
    std::mt19937_64 engine(1);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 4000; ++i) {
        const double e = std::exp(unit(engine) * 30 - 16);
        const double h = unit(engine) < 0.5 ? unit(engine) : std::min(1.0, 4 * unit(engine) / std::sqrt(e));
        EXPECT_NEAR(centralMass(h, e) + 2 * upperTail(h, e), 1, 4e-15) << "h " << h << ", e " << e;
    }
}

TEST(BetaFunctions, quantile_inverts_the_mass) {
    std::mt19937_64 engine(2);
    std::uniform_real_distribution<double> unit(0, 1);
    for (int i = 0; i < 4000; ++i) {
        const double e = std::exp(unit(engine) * 30 - 16);
        const double mass = unit(engine);
        const double h = centralQuantile(mass, e);
        EXPECT_NEAR(centralMass(h, e), mass, 1e-14) << "mass " << mass << ", e " << e;
    }
}

TEST(BetaFunctions, quantile_keeps_its_accuracy_at_both_ends) {
    for (const double e : {1e-6, 0.1, 0.5, 3.0, 100.0, 1e6}) {
        const double tiny = 1e-200;
        const double peak = std::exp(logGammaHalfStep(e + 1)) / std::sqrt(std::numbers::pi);
        EXPECT_NEAR(centralQuantile(tiny, e) * 2 * peak / tiny, 1, 1e-14);
        const double outside = std::ldexp(1.0, -40);
        const double h = centralQuantile(1 - outside, e);
        // One ulp of h is the best that can be had.
        EXPECT_NEAR(2 * upperTail(h, e) / outside, 1, 1e-12 + 4e-16 * (e + 1) / (1 - h)) << "e " << e;
        EXPECT_EQ(centralQuantile(0, e), 0);
        EXPECT_EQ(centralQuantile(1, e), 1);
    }
}

TEST(BetaFunctions, inverse_erf_inverts_erf_and_erfc) {
    EXPECT_EQ(inverseErf(0), 0);
    EXPECT_EQ(inverseErf(1), std::numeric_limits<double>::infinity());
    for (double mass = 1e-300; mass < 0.5; mass *= 7.3) {
        EXPECT_NEAR(std::erf(inverseErf(mass)) / mass, 1, 1e-15);
    }
    for (double outside = 0.5; outside > 1e-15; outside /= 4) {
        const double x = inverseErf(1 - outside);
        EXPECT_NEAR(std::erfc(x) / outside, 1, 1e-14 * (1 + x * x));
    }
}

}  // namespace
}  // namespace fovea::beta_functions
