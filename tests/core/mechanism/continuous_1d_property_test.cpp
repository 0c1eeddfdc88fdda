// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of continuous attention on the line, over parameters drawn at random.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/mechanism/expectation_1d.h"
#include "core/mechanism/gauss_jacobi.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double drawn(double low, double high) {
    return low + (high - low) * *rc::gen::inRange(0, 1 << 24) / double(1 << 24);
}

/// From heavy tails through the Gaussian to the uniform density, as likely near 1 as far from it.
double drawnAlpha(double low = 0.02) {
    const double near = std::exp(-drawn(0, 13.8));  // outside the band that counts as 1
    switch (*rc::gen::inRange(0, 8)) {
        case 0: return 1;
        case 1: return 2;
        case 2: return infinity;
        case 3: return 1 + near;
        case 4: return std::max(low, 1 - near);
        case 5: return drawn(low, 1);
        default: return drawn(1, 10);
    }
}

Density1d drawnDensity(double lowestAlpha = 0.02) {
    const DensityParameters parameters{drawnAlpha(lowestAlpha), std::exp(drawn(-2, 2))};
    return Density1d::fromScale(drawn(-0.5, 1.5), std::exp(drawn(-9, 2)), parameters).value();
}

/// About where most of the mass is: half the 90 % region.
double width(const Density1d& p) {
    return p.regionHalfWidth(0.9);
}

RadialBasis1d drawnBasis(const Density1d& p) {
    return {p.mean() + width(p) * drawn(-2, 2), width(p) * std::exp(drawn(-4, 4))};
}

/// Integral by Gauss-Legendre on many short pieces of x = mean + width sinh(t).
template <class Integrand>
double integral(const Density1d& p, double low, double high, Integrand integrand) {
    const auto rule = gaussJacobi(24, 0, 0);
    const double w = width(p);
    const double from = std::asinh((low - p.mean()) / w), to = std::asinh((high - p.mean()) / w);
    constexpr int pieces = 80;
    const double half = (to - from) / pieces / 2;
    double sum = 0;
    for (int piece = 0; piece < pieces; ++piece) {
        for (std::size_t k = 0; k < rule->nodes.size(); ++k) {
            const double t = from + half * (2 * piece + rule->toLower[k]);
            sum += rule->weights[k] * 2 * half * w * std::cosh(t) * integrand(p.mean() + w * std::sinh(t));
        }
    }
    return sum;
}

Interval ends(const Density1d& p) {
    return p.support().value_or(p.region(1 - 1e-13));
}

RC_GTEST_PROP(Density1dLaws, integrates_to_one, ()) {
    const auto p = drawnDensity();
    // Towards and above 2 the density has steeper and steeper ends, which short pieces meet slowly.
    const double tolerance = p.alpha() > 2 && std::isfinite(p.alpha()) ? 3e-4 : 1e-8;
    const auto [low, high] = ends(p);
    RC_ASSERT(std::abs(integral(p, low, high, p) - 1) < tolerance);
}

RC_GTEST_PROP(Density1dLaws, cdf_rises_from_zero_to_one, ()) {
    const auto p = drawnDensity();
    const double x = p.mean() + width(p) * drawn(-3, 3), further = x + width(p) * drawn(0, 1);
    RC_ASSERT(p.cdf(x) <= p.cdf(further));
    RC_ASSERT(p.cdf(-infinity) == 0);
    RC_ASSERT(p.cdf(infinity) == 1);
    RC_ASSERT(std::abs(p.cdf(p.mean()) - 0.5) < 1e-15);
}

RC_GTEST_PROP(Density1dLaws, a_region_holds_its_mass, ()) {
    const auto p = drawnDensity();
    const double mass = drawn(0, 0.999);
    const auto [low, high] = p.region(mass);
    RC_ASSERT(std::abs(p.cdf(high) - p.cdf(low) - mass) < 1e-11);
}

RC_GTEST_PROP(Density1dLaws, mirrors_at_its_mean, ()) {
    const auto p = drawnDensity();
    const auto mirrored =
        Density1d::fromScale(-p.mean(), p.scale() / p.temperature(), {p.alpha(), p.temperature()}).value();
    const double x = p.mean() + width(p) * drawn(-3, 3);
    RC_ASSERT(p(x) == mirrored(-x));
    const auto basis = drawnBasis(p);
    const auto here = expectation(p, basis), there = expectation(mirrored, {-basis.centre, basis.deviation});
    RC_ASSERT(std::abs(here.value - there.value) <= 1e-13 * basis.peak());
    RC_ASSERT(std::abs(here.byMean + there.byMean) <= 1e-13 * basis.peak() / basis.deviation);
    RC_ASSERT(std::abs(here.byLogLength - there.byLogLength) <=
              1e-12 * basis.peak() * (1 + p.length() / basis.deviation));
}

RC_GTEST_PROP(Density1dLaws, matched_moments_come_back, ()) {
    const DensityParameters parameters{drawnAlpha(0.35), 1};
    const double variance = std::exp(drawn(-12, 2));
    const auto p =
        Density1d::fromMoments({drawn(0, 1), variance}, MomentMatching::Moments, parameters).value();
    RC_ASSERT(std::abs(p.variance() / variance - 1) < 1e-13);
    const double near =
        std::isinf(p.alpha()) ? p.variance() : Density1d::fromScale(0, p.scale(), parameters)->variance();
    RC_ASSERT(std::abs(near / variance - 1) < 1e-11);
}

RC_GTEST_PROP(Density1dLaws, lengths_grow_with_a_power_of_the_temperature, ()) {
    const double alpha = drawnAlpha(), scale = std::exp(drawn(-9, 2)), warmth = std::exp(drawn(-3, 3));
    const auto cool = Density1d::fromScale(0.5, scale, {alpha, 1}).value();
    const auto warm = Density1d::fromScale(0.5, scale, {alpha, warmth}).value();
    const double growth = std::pow(warmth, 1 / (2 + (alpha - 1)));
    RC_ASSERT(std::abs(warm.length() / cool.length() / growth - 1) < 1e-13);
    RC_ASSERT(std::abs(width(warm) / width(cool) / growth - 1) < 1e-12);
}

RC_GTEST_PROP(Density1dLaws, joins_the_gaussian_from_both_sides, ()) {
    const double mean = drawn(0, 1), scale = std::exp(drawn(-9, 2));
    const double distance = std::exp(-drawn(5, 13.8)),
                 alpha = 1 + (*rc::gen::arbitrary<bool>() ? distance : -distance);
    const auto p = Density1d::fromScale(mean, scale, {alpha, 1}).value();
    const auto gaussian = Density1d::fromScale(mean, scale, {1, 1}).value();
    const double x = mean + width(gaussian) * drawn(-2, 2);
    RC_ASSERT(std::abs(p(x) / gaussian(x) - 1) < 40 * distance);
    RC_ASSERT(std::abs(p.cdf(x) - gaussian.cdf(x)) < 3 * distance);
    RC_ASSERT(std::abs(p.variance() / gaussian.variance() - 1) < 30 * distance);
    RC_ASSERT(std::abs(p.shannonEntropy() - gaussian.shannonEntropy()) < 30 * distance);
    RC_ASSERT(std::abs(p.tsallisEntropy() - gaussian.tsallisEntropy()) < 100 * distance);
    const auto basis = drawnBasis(gaussian);
    const auto near = expectation(p, basis), at = expectation(gaussian, basis);
    RC_ASSERT(std::abs(near.value - at.value) < 40 * distance * basis.peak());
    RC_ASSERT(std::abs(near.byMean - at.byMean) < 40 * distance * basis.peak() / basis.deviation);
    RC_ASSERT(std::abs(near.byScale - at.byScale) * scale <
              40 * distance * basis.peak() * (1 + width(p) / basis.deviation));
}

RC_GTEST_PROP(Expectation1dLaws, is_the_integral_of_density_times_basis, ()) {
    const auto p = drawnDensity();
    const RadialBasis1d basis{p.mean() + width(p) * drawn(-2, 2), width(p) * std::exp(drawn(-2.3, 4))};
    const double tolerance = p.alpha() > 2 && std::isfinite(p.alpha()) ? 3e-4 : 1e-8;
    const auto [low, high] = ends(p);
    const double direct = integral(p, low, high, [&](double x) { return p(x) * basis(x); });
    RC_ASSERT(std::abs(expectation(p, basis).value - direct) < tolerance * basis.peak());
}

RC_GTEST_PROP(Expectation1dLaws, lies_between_zero_and_both_peaks, ()) {
    const auto p = drawnDensity();
    const auto basis = drawnBasis(p);
    const double value = expectation(p, basis).value;
    RC_ASSERT(value >= 0);
    RC_ASSERT(value <= basis.peak() * (1 + 1e-12));
    RC_ASSERT(value <= p.peak() * (1 + 1e-11));
}

RC_GTEST_PROP(Expectation1dLaws, of_a_wide_flat_basis_is_its_value_at_the_mean, ()) {
    // The sum rule: psi is nearly constant, and the density sums to one.
    const auto p = drawnDensity(0.5);
    const RadialBasis1d wide{p.mean() + width(p) * drawn(-2, 2), 1e7 * width(p)};
    RC_ASSERT(std::abs(expectation(p, wide).value / wide.peak() - 1) < 1e-11);
}

RC_GTEST_PROP(Expectation1dLaws, narrow_basis_functions_read_the_density_off, ()) {
    const auto p = drawnDensity();
    const RadialBasis1d narrow{p.mean() + 0.4 * width(p) * drawn(-1, 1), 1e-7 * width(p)};
    RC_ASSERT(std::abs(expectation(p, narrow).value / p(narrow.centre) - 1) < 1e-9);
}

/// A fourth-order difference quotient.
template <class Function>
double slope(Function f, double at, double step) {
    return (8 * (f(at + step) - f(at - step)) - (f(at + 2 * step) - f(at - 2 * step))) / (12 * step);
}

RC_GTEST_PROP(Expectation1dLaws, gradients_meet_finite_differences, ()) {
    const double alpha = drawnAlpha(), temperature = std::exp(drawn(-2, 2));
    const double mean = drawn(0, 1), scale = std::exp(drawn(-9, 2));
    const auto density = [&](double m, double s, double t) {
        return Density1d::fromScale(m, s, {alpha, t}).value();
    };
    const auto p = density(mean, scale, temperature);
    const RadialBasis1d basis{mean + width(p) * drawn(-1.5, 1.5), width(p) * std::exp(drawn(-1.5, 3))};
    const auto found = expectation(p, basis);
    const auto value = [&](const Density1d& q) { return expectation(q, basis).value; };
    const double step = 1e-3 * basis.deviation, peak = basis.peak();
    const double byMean = slope([&](double m) { return value(density(m, scale, temperature)); }, mean, step);
    RC_ASSERT(std::abs(found.byMean - byMean) * basis.deviation < 1e-8 * peak);
    const auto ofScale = [&](double s) { return value(density(mean, s, temperature)); };
    const auto ofTemperature = [&](double t) { return value(density(mean, scale, t)); };
    const double relative = 1e-3, bound = 2e-8 * peak;
    RC_ASSERT(std::abs(found.byScale - slope(ofScale, scale, relative * scale)) * scale < bound);
    RC_ASSERT(std::abs(found.byTemperature - slope(ofTemperature, temperature, relative * temperature)) *
                  temperature <
              bound);
    if (alpha <= 0.35) return;
    const auto matched = [&](double v) {
        return value(Density1d::fromMoments({mean, v}, MomentMatching::Moments, {alpha, 1}).value());
    };
    const double variance = p.variance();
    RC_ASSERT(std::abs(found.byVariance - slope(matched, variance, relative * variance)) * variance < bound);
}

}  // namespace
}  // namespace fovea
