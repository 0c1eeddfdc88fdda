// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of continuous attention on the plane, over parameters drawn at random.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>

#include "core/mechanism/expectation_2d.h"
#include "core/mechanism/gauss_jacobi.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

double drawn(double low, double high) {
    return low + (high - low) * *rc::gen::inRange(0, 1 << 24) / double(1 << 24);
}

/// From heavy tails through the Gaussian to the uniform density, as likely near 1 as far from it.
double drawnAlpha(double low) {
    const double near = std::exp(-drawn(0, 13.8));  // outside the band that counts as 1
    switch (*rc::gen::inRange(0, 8)) {
        case 0: return 1;
        case 1: return 2;
        case 2: return infinity;
        case 3: return 1 + near;
        case 4: return std::max(low, 1 - near);
        case 5: return drawn(std::min(low, 1.0), 1);
        default: return drawn(1, 10);
    }
}

Eigen::Vector2d drawnPlace() {
    return {drawn(-0.2, 1.2), drawn(-0.2, 1.2)};
}

/// Axes of lengths that differ by up to 20 times, at any angle.
Eigen::Matrix2d drawnMatrix(double logLow, double logHigh) {
    const double large = std::exp(drawn(logLow, logHigh)), small = large * std::exp(-drawn(0, 6));
    const double angle = drawn(0, pi), c = std::cos(angle), s = std::sin(angle);
    const double mixed = (large - small) * c * s;
    Eigen::Matrix2d matrix;
    matrix << large * c * c + small * s * s, mixed, mixed, large * s * s + small * c * c;
    return matrix;
}

Density2d drawnDensity(double lowestAlpha) {
    const DensityParameters parameters{drawnAlpha(lowestAlpha), std::exp(drawn(-1, 1))};
    return Density2d::fromScale(drawnPlace(), drawnMatrix(-8, 1), parameters).value();
}

/// Near the density, narrower or wider.
RadialBasis2d drawnBasis(const Density2d& p) {
    const double size = std::log(p.region(0.5).major);
    const Eigen::Vector2d centre =
        p.mean() + p.region(0.9).major * Eigen::Vector2d(drawn(-1, 1), drawn(-1, 1));
    return RadialBasis2d::make(centre, drawnMatrix(2 * size - 5, 2 * size + 4)).value();
}

bool close(double found, double expected, double tolerance) {
    return std::abs(found - expected) <= tolerance;
}

RC_GTEST_PROP(Density2dProperty, masses_of_cells_sum_to_that_of_the_square, ()) {
    const Density2d p = drawnDensity(0.1);
    const auto rows = *rc::gen::inRange<std::size_t>(1, 12), columns = *rc::gen::inRange<std::size_t>(1, 12);
    const auto cells = p.massOfCells(rows, columns);
    RC_ASSERT(cells.size() == rows * columns);
    for (const double cell : cells) RC_ASSERT(cell >= 0);
    const double sum = std::accumulate(cells.begin(), cells.end(), 0.0);
    RC_ASSERT(close(sum, p.massIn(0, 0, 1, 1), 2e-13));
    RC_ASSERT(close(sum + p.massOutsideUnit(), 1, 2e-13));
}

RC_GTEST_PROP(Density2dProperty, region_of_a_mass_holds_it, ()) {
    const Density2d p = drawnDensity(0.3);
    const double mass = drawn(0.01, 0.9);
    const Ellipse region = p.region(mass);
    const Eigen::Vector2d axis =
        region.major * Eigen::Vector2d(std::cos(region.angle), std::sin(region.angle));
    // p is the same all around each of the ellipses q = u factor: an integral over u, in shrinking pieces.
    const auto rule = gaussJacobi(24, 0, 0);
    double sum = 0;
    for (double high = 1; high > 1e-12; high /= 2) {
        for (std::size_t k = 0; k < 24; ++k) {
            const double u = high / 2 + high / 2 * rule->toLower[k] / 2;
            sum += high / 2 * rule->weights[k] * p(p.mean() + std::sqrt(u) * axis);
        }
    }
    RC_ASSERT(close(pi * region.major * region.minor * sum, mass, 1e-10));
}

RC_GTEST_PROP(Density2dProperty, matching_gives_the_moments_back, ()) {
    const double alpha = drawnAlpha(0.52);
    const Moments2d moments{drawnPlace(), drawnMatrix(-10, 1)};
    const auto matched = Density2d::fromMoments(moments, MomentMatching::Moments, {alpha, 1});
    RC_ASSERT(matched.has_value());
    const double size = moments.covariance.norm();
    RC_ASSERT((matched->covariance() - moments.covariance).norm() <= 1e-13 * size);
    if (alpha > 20) return;  // its scale may leave the range of numbers
    const auto again = Density2d::fromScale(moments.mean, matched->scale(), {alpha, 1});
    RC_ASSERT(again.has_value());
    RC_ASSERT((again->covariance() - moments.covariance).norm() <= 1e-10 * size);
}

RC_GTEST_PROP(Density2dProperty, strip_below_a_place_holds_the_marginals_mass, ()) {
    const double alpha = drawnAlpha(1);
    const auto p = Density2d::fromScale(drawnPlace(), drawnMatrix(-7, 0), {alpha, 1}).value();
    // Of exponent e + 1/2; the Gaussian's stays one.
    const double exponent = p.exponent() ? *p.exponent() + 0.5 : infinity;
    const int axis = *rc::gen::inRange(0, 2);
    const auto marginal = Density1d::fromMoments({p.mean()(axis), p.covariance()(axis, axis)},
                                                 MomentMatching::Moments, {1 + 1 / exponent, 1}).value();
    const double at = drawn(-0.5, 1.5);
    const double strip = axis == 0 ? p.massIn(-50, -50, at, 50) : p.massIn(-50, -50, 50, at);
    RC_ASSERT(close(strip, marginal.cdf(at), 1e-12));
    if (p.support()) {
        // Near 1 alpha itself keeps fewer digits of the exponent.
        const double tolerance = 1e-12 + 1e-15 * exponent;
        RC_ASSERT(close(*marginal.halfWidth() / std::sqrt((*p.supportShape())(axis, axis)), 1, tolerance));
    }
}

RC_GTEST_PROP(Expectation2dProperty, turns_with_mean_scale_and_basis, ()) {
    const double alpha = drawnAlpha(0.1);
    const Eigen::Vector2d mean = drawnPlace();
    const Eigen::Matrix2d scale = drawnMatrix(-7, 0);
    const auto p = Density2d::fromScale(mean, scale, {alpha, 1}).value();
    const RadialBasis2d psi = drawnBasis(p);
    const Eigen::Matrix2d turn = Eigen::Rotation2Dd(drawn(0, 2 * pi)).toRotationMatrix();
    const auto about = [&](const Eigen::Matrix2d& m) {
        Eigen::Matrix2d made = turn * m * turn.transpose();
        made(0, 1) = made(1, 0) = (made(0, 1) + made(1, 0)) / 2;
        return made;
    };
    const auto turned = Density2d::fromScale(turn * mean, about(scale), {alpha, 1}).value();
    const auto plain = expectation(p, psi);
    const auto other =
        expectation(turned, RadialBasis2d::make(turn * psi.centre(), about(psi.covariance())).value());
    // Rounding of the turned matrices and places alone changes the exponent of psi.
    const double farther = 1 + (psi.centre() - mean).dot(psi.precision() * (psi.centre() - mean));
    const double condition = psi.covariance().norm() * psi.precision().norm();
    const double steepness = std::sqrt(psi.precision().norm() * farther);
    const double tolerance = 1e-12 + 1e-15 * (farther * condition + steepness * (1 + mean.norm()));
    RC_ASSERT(close(other.value, plain.value, tolerance * plain.value));
    RC_ASSERT((other.byMean - turn * plain.byMean).norm() <=
              10 * tolerance * (plain.byMean.norm() + std::sqrt(psi.precision().norm()) * plain.value));
}

/// E[psi] at alpha = 2 as one integral over the angle: along each ray the parabola times psi is an integral of
/// normal densities. Absolute error 1e-14 psi.peak().
double rayIntegral(const Density2d& p, const RadialBasis2d& psi) {
    const Eigen::Matrix2d root = p.supportShape()->llt().matrixL();
    const Eigen::Vector2d d = p.mean() - psi.centre();
    const auto below = [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; };
    const auto normal = [](double z) { return std::exp(-z * z / 2) / std::sqrt(2 * pi); };
    constexpr int angles = 512;
    double sum = 0;
    for (int m = 0; m < angles; ++m) {
        const double theta = 2 * pi * m / angles;
        const Eigen::Vector2d ray = root * Eigen::Vector2d(std::cos(theta), std::sin(theta));
        const double q0 = d.dot(psi.precision() * d), q1 = 2 * ray.dot(psi.precision() * d);
        const double q2 = ray.dot(psi.precision() * ray);
        const double s = 1 / std::sqrt(q2), r = -q1 / (2 * q2), a = -r / s, b = (1 - r) / s;
        const double inner = (r - r * r * r - 3 * r * s * s) * (below(b) - below(a)) +
                             s * (1 - 2 * s * s - r * r) * normal(a) +
                             s * (r + 2 * s * s + r * r) * normal(b);
        sum += std::exp(-(q0 - q1 * q1 / (4 * q2)) / 2) * s * std::sqrt(2 * pi) * inner;
    }
    return 2 / pi * psi.peak() * sum * 2 * pi / angles;
}

RC_GTEST_PROP(Expectation2dProperty, meets_the_integral_along_rays_at_alpha_two, ()) {
    // Of wide basis functions the closed form cancels, of narrow ones it needs more angles.
    const Eigen::Matrix2d slim = drawnMatrix(-6, 0);
    const Eigen::Matrix2d scale = slim + 0.1 * slim.trace() * Eigen::Matrix2d::Identity();
    const auto p = Density2d::fromScale(drawnPlace(), scale, {2, 1}).value();
    const double size = std::log(p.support()->minor);
    const Eigen::Vector2d centre =
        p.mean() + p.support()->major * Eigen::Vector2d(drawn(-1, 1), drawn(-1, 1));
    const double variance = std::exp(2 * size + drawn(-4, 0));
    const auto psi = RadialBasis2d::make(centre, variance * Eigen::Matrix2d::Identity()).value();
    RC_ASSERT(close(expectation(p, psi).value, rayIntegral(p, psi), 1e-11 * psi.peak()));
}

RC_GTEST_PROP(Expectation2dProperty, derivatives_are_those_of_finite_differences, ()) {
    const double alpha = drawnAlpha(0.1);
    const Eigen::Vector2d mean = drawnPlace();
    const Eigen::Matrix2d scale = drawnMatrix(-6, -1);
    const auto p = Density2d::fromScale(mean, scale, {alpha, 1}).value();
    const RadialBasis2d psi = drawnBasis(p);
    const auto found = expectation(p, psi);
    RC_PRE(found.value > 1e-6 * psi.peak());
    const auto at = [&](const Eigen::Vector2d& m, const Eigen::Matrix2d& s) {
        return expectation(Density2d::fromScale(m, s, {alpha, 1}).value(), psi).value;
    };
    // Steps in the units in which the basis function, or the scale, is of size 1.
    const auto slope = [](const auto& f, double h) {
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
    };
    const double steepness = std::sqrt(psi.precision().norm());
    const Eigen::Vector2d direction =
        Eigen::Vector2d(std::cos(1.0 + 10 * mean.x()), std::sin(1.0 + 10 * mean.x()));
    const double byMean = slope([&](double h) { return at(mean + h * direction, scale); }, 1e-3 / steepness);
    RC_ASSERT(
        close(found.byMean.dot(direction), byMean, 1e-7 * steepness * (found.value + 0.1 * psi.peak())));
    const Eigen::Matrix2d root = scale.llt().matrixL();
    const Eigen::Matrix2d mixed = root * (direction * direction.transpose()) * root.transpose();
    Eigen::Matrix2d change = mixed;
    change(0, 1) = change(1, 0) = (mixed(0, 1) + mixed(1, 0)) / 2;
    const double byScale = slope([&](double h) { return at(mean, scale + h * change); }, 1e-3);
    const double size = std::max(found.value, std::abs(found.byScale.cwiseProduct(change).sum()));
    RC_ASSERT(close(found.byScale.cwiseProduct(change).sum(), byScale, 1e-6 * size + 1e-11 * psi.peak()));
}

RC_GTEST_PROP(Expectation2dProperty, joins_the_gaussian_from_both_sides, ()) {
    const Eigen::Vector2d mean = drawnPlace();
    const Eigen::Matrix2d scale = drawnMatrix(-6, -1);
    const auto at = [&](double alpha) { return Density2d::fromScale(mean, scale, {alpha, 1}).value(); };
    const RadialBasis2d psi = drawnBasis(at(1));
    const double gaussian = expectation(at(1), psi).value;
    RC_PRE(gaussian > 1e-4 * psi.peak());
    const double step = std::exp(-drawn(8, 13.8));
    for (const double alpha : {1 - step, 1 + step}) {
        RC_ASSERT(close(expectation(at(alpha), psi).value / gaussian, 1, 100 * step));
        RC_ASSERT(close(at(alpha).massOutsideUnit(), at(1).massOutsideUnit(), 50 * step));
        RC_ASSERT(close(at(alpha).tsallisEntropy(), at(1).tsallisEntropy(), 500 * step));
    }
}

}  // namespace
}  // namespace fovea
