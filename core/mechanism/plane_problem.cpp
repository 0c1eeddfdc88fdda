// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/plane_problem.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/mechanism/scale_matrix.h"

namespace fovea {

namespace {

/// Natural logarithm of what may be left out beside the largest part.
constexpr double negligible = 45;

/// s > 0 with exp(s) - s - 1 >= c, and exp(-s) + s - 1 >= c.
double stepUp(double c) {
    return std::log1p(c + std::sqrt(2 * c));
}
double stepDown(double c) {
    return c + std::sqrt(2 * c);
}

/// exp(x) - 1 - x, with its digits near 0.
double aboveTangent(double x) {
    if (std::abs(x) > 1e-2) return std::expm1(x) - x;
    return x * x * (1.0 / 2 + x * (1.0 / 6 + x * (1.0 / 24 + x * (1.0 / 120 + x / 720))));
}

/// k^k e^-k/Gamma(k): by Stirling's series where the terms of its logarithm cancel.
double gammaConstant(double k) {
    if (k < 16) return std::exp(k * std::log(k) - k - std::lgamma(k));
    const double r = 1 / (k * k);
    const double series = (1.0 / 12 - r * (1.0 / 360 - r * (1.0 / 1260 - r * (1.0 / 1680 - r / 1188)))) / k;
    return std::sqrt(k / (2 * std::numbers::pi)) * std::exp(-series);
}

/// The logarithm of the smallest precision that matters: below it the convolutions fall as the precision
/// itself, above it by exp(-y^2/2) at worst.
double lowestLogPrecision(const PlaneProblem& problem, double k) {
    const double square = problem.m1 * problem.m1 + problem.m2 * problem.m2;
    const double spread = problem.a2 * problem.a2;
    const double knee = std::log(std::min(1.0, spread / (1 + spread)) / (1 + square));
    const double byTail = knee - negligible / (k + 1);
    return std::max(byTail, -stepDown((negligible + square / 2) / k));
}

/// ln of psi (1 - q)^e; below all of them, and falling with q, where q >= 1.
double logIntegrand(const PlaneProblem& problem, double exponent, double y1, double y2) {
    const double q = problem.q(y1, y2);
    if (q >= 1) return -1e300 * std::min(q, 1e7);
    return -(y1 * y1 + y2 * y2) / 2 + exponent * std::log1p(-q);
}

}  // namespace

PlaneProblem::PlaneProblem(const Density2d& density, const RadialBasis2d& basis) {
    const Eigen::Matrix2d& covariance = basis.covariance();
    const double rootDeterminant = 1 / (2 * std::numbers::pi * basis.peak());
    const double first = std::sqrt(covariance(0, 0));
    const double second = rootDeterminant / first;
    const double shear = covariance(1, 0) / first;
    inverse << 1 / first, 0, -shear / first / second, 1 / second;
    const Eigen::Matrix2d shape = inverse * density.levelShape() * inverse.transpose();
    const EigenSystem2x2 axes = eigenSystem(shape);
    // Squares of lengths stay numbers: a density so narrow is a point, one so wide is nowhere.
    constexpr double least = 1e-150, most = 1e150;
    a1 = std::clamp(std::sqrt(axes.major), least, most);
    // By the determinants: a narrow density keeps the digits of its width.
    a2 = std::clamp(std::exp(density.logRootDeterminant()) / rootDeterminant / a1, least, a1);
    const double c = std::cos(axes.angle), s = std::sin(axes.angle);
    Eigen::Matrix2d turn;
    turn << c, s, -s, c;
    inverse = turn * inverse;
    const Eigen::Vector2d m = inverse * (density.mean() - basis.centre());
    m1 = m.x();
    m2 = m.y();
}

double PlaneProblem::q(double y1, double y2) const {
    const double t = (y1 - m1) / a1, v = (y2 - m2) / a2;
    return t * t + v * v;
}

void PlaneTerms::add(double weight, double secondWeight, const PlaneTerms& other) {
    value += weight * other.value;
    d1 += weight * other.d1;
    d2 += weight * other.d2;
    h11 += secondWeight * other.h11;
    h12 += secondWeight * other.h12;
    h22 += secondWeight * other.h22;
}

PlaneTerms gaussianTerms(const PlaneProblem& problem, double precision) {
    // The convolution of two Gaussians: variances 1 + a^2.
    const double s1 = precision / (precision + problem.a1 * problem.a1);
    const double s2 = precision / (precision + problem.a2 * problem.a2);
    const double z1 = problem.m1 * s1, z2 = problem.m2 * s2;
    const double value = std::sqrt(s1) * std::sqrt(s2) * std::exp(-(problem.m1 * z1 + problem.m2 * z2) / 2);
    return {value, -z1 * value, -z2 * value, (z1 * z1 - s1) * value, z1 * z2 * value, (z2 * z2 - s2) * value};
}

PlaneTerms studentTerms(const PlaneProblem& problem, double degreesOfFreedom) {
    const double k = degreesOfFreedom / 2;
    const double low = lowestLogPrecision(problem, k);
    const double high = stepUp(negligible / k);
    const double step = std::min(0.25, 0.6 / std::sqrt(2 * k + 3));
    const double constant = gammaConstant(k) * step;
    PlaneTerms sum;
    const auto count = static_cast<long>(std::ceil((high - low) / step));
    for (long i = 0; i <= count; ++i) {
        const double x = low + step * static_cast<double>(i);
        const double weight = constant * std::exp(-k * aboveTangent(x));
        const double precision = std::exp(x);
        sum.add(weight, weight / precision, gaussianTerms(problem, precision));
    }
    return sum;
}

Eigen::Vector2d nearestToOrigin(const PlaneProblem& problem) {
    const double a1 = problem.a1, a2 = problem.a2;
    const Eigen::Vector2d m(problem.m1, problem.m2);
    if (problem.q(0, 0) <= 1) return Eigen::Vector2d::Zero();
    // The nearest point is m - (a_i^2 m_i/(s + a_i^2)) for the s > 0 that puts it on the ellipse: of a
    // falling convex function of s, which Newton's method meets from the left.
    const double u1 = a1 * std::abs(m.x()), u2 = a2 * std::abs(m.y());
    double s = std::max({0.0, u1 - a1 * a1, u2 - a2 * a2});
    for (int i = 0; i < 100; ++i) {
        const double r1 = u1 / (s + a1 * a1), r2 = u2 / (s + a2 * a2);
        const double excess = r1 * r1 + r2 * r2 - 1;
        const double slope = 2 * (r1 * r1 / (s + a1 * a1) + r2 * r2 / (s + a2 * a2));
        const double next = s + excess / slope;
        if (!(next > s)) break;
        s = next;
    }
    // m_i - a_i^2 m_i/(s + a_i^2), without the difference.
    return {m.x() * (s / (s + a1 * a1)), m.y() * (s / (s + a2 * a2))};
}

Summit summitOf(const PlaneProblem& problem, double exponent) {
    // Both gradients are parallel there: y_i = m_i/(1 + c a_i^2) for some c >= 0.
    const auto at = [&](double logC) {
        const double c = std::exp(logC);
        return Eigen::Vector2d(problem.m1 / (1 + c * problem.a1 * problem.a1),
                               problem.m2 / (1 + c * problem.a2 * problem.a2));
    };
    const auto height = [&](double logC) {
        return logIntegrand(problem, exponent, at(logC).x(), at(logC).y());
    };
    double low = -2 * std::log(problem.a1) - 40, high = -2 * std::log(problem.a2) + 40;
    for (int i = 0; i < 100; ++i) {
        const double third = (high - low) / 3;
        if (height(low + third) < height(high - third)) {
            low += third;
        } else {
            high -= third;
        }
    }
    return {at(low), height(low)};
}

}  // namespace fovea
