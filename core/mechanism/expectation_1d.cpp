// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/expectation_1d.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "core/mechanism/density_domain.h"
#include "core/mechanism/gauss_jacobi.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

/// What every method yields; the rest follows from it.
struct Core {
    double value = 0;
    double byMean = 0;
    double byLogLength = 0;
};

double normalDensity(double z) {
    return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

/// Phi(high) - Phi(low) from the tails, where both lie on one side.
double normalMass(double low, double high) {
    const double l = low / std::numbers::sqrt2, h = high / std::numbers::sqrt2;
    if (l > 0) return 0.5 * (std::erfc(l) - std::erfc(h));
    if (h < 0) return 0.5 * (std::erfc(-h) - std::erfc(-l));
    return 0.5 * (std::erf(h) - std::erf(l));
}

/// N(distance; 0, spread + width^2) by the mean, and by ln spread with a factor of 2.
Core convolution(double distance, double spread, double width) {
    const double variance = spread + width * width;
    const double square = distance * distance / variance;
    const double value = std::exp(-square / 2) / std::sqrt(2 * std::numbers::pi * variance);
    return {value, distance / variance * value, (square - 1) * (spread / variance) * value};
}

/// Of the truncated parabola. Its escort density is uniform: derivatives are integrals over the support.
Core parabolaClosedForm(double a, double distance, double s) {
    const double low = (-a - distance) / s, high = (a - distance) / s;
    const double atLow = normalDensity(low), atHigh = normalDensity(high);
    const double mass = normalMass(low, high);
    const double first = s * (atLow - atHigh);
    const double second = s * s * (mass + low * atLow - high * atHigh);
    // Integrals of (x - mean) psi and (x - mean)^2 psi.
    const double linear = distance * mass + first;
    const double square = distance * distance * mass + 2 * distance * first + second;
    const double inverse = 1 / (a * a * a);
    return {0.75 * inverse * (a * a * mass - square), 1.5 * inverse * linear,
            2.25 * inverse * (square - a * a * mass / 3)};
}

Core uniformClosedForm(double a, double distance, double s) {
    const double low = (-a - distance) / s, high = (a - distance) / s;
    const double mass = normalMass(low, high);
    const double atLow = normalDensity(low) / s, atHigh = normalDensity(high) / s;
    return {mass / (2 * a), (atHigh - atLow) / (2 * a), (atHigh + atLow) / 2 - mass / (2 * a)};
}

/// Part of [-1, 1], with the distances of its ends from those of the whole.
struct Window {
    double low;
    double high;
    double below;  ///< low + 1
    double above;  ///< 1 - high
};

constexpr std::size_t nodeCount = 64;
/// Beyond this many deviations from its largest value in the support, psi is below e^-45 of it.
constexpr double reach = 9.5;
constexpr double negligible = 45;
/// Above this exponent the support's ends hold nothing, and Gauss-Legendre does.
constexpr double largestEndExponent = 8;

Window windowOf(double centre, double width) {
    const double outside = std::abs(centre) - 1;
    if (outside <= 0) return {centre - reach * width, centre + reach * width, 0, 0};
    const double span = reach * width;
    const double length = span * (span / (std::hypot(outside, span) + outside));
    return centre > 0 ? Window{1 - length, 1, 0, 0} : Window{-1, length - 1, 0, 0};
}

/// Beta-Gaussians by windowed quadrature, in y = (x - mean)/a. The rules are fetched once.
class WindowedQuadrature {
public:
    explicit WindowedQuadrature(const Density1d& density)
        : a_(density.length()),
          exponent_(1 / (density.alpha() - 1)),
          steep_(exponent_ <= largestEndExponent),
          // 1/B(1/2, e+1)
          constant_(density.peak() * a_),
          clip_(steep_ ? 1.0 : std::sqrt(-std::expm1(-negligible / exponent_))) {}

    Core operator()(double distance, double s) {
        const double centre = distance / a_, width = s / a_;
        Window window = windowOf(centre, width);
        window.low = std::max(window.low, -clip_);
        window.high = std::min(window.high, clip_);
        if (!(window.low < window.high)) return {};
        if (steep_) {
            // A weight's exponent is for an end of the support: draw near ends into the window.
            const double near = 0.1 * (window.high - window.low);
            if (window.low + 1 <= near) window.low = -1;
            if (1 - window.high <= near) window.high = 1;
        }
        window.below = window.low + 1;
        window.above = 1 - window.high;
        return sum(window, centre, width);
    }

private:
    Core sum(const Window& window, double centre, double width) {
        const bool atLow = steep_ && window.below == 0, atHigh = steep_ && window.above == 0;
        const QuadratureRule& rule = ruleFor(atLow, atHigh);
        const double half = (window.high - window.low) / 2;
        const double start = (window.low - centre) / width, stride = half / width;
        double mass = 0, linear = 0, scaled = 0;
        for (std::size_t k = 0; k < nodeCount; ++k) {
            const double step = half * rule.toLower[k];
            const double rest = half * rule.toUpper[k];
            const double shape = shapeAt(window.below + step, window.above + rest, atLow, atHigh);
            const double z = start + stride * rule.toLower[k];
            const double term = rule.weights[k] * shape * std::exp(-z * z / 2);
            mass += term;
            linear -= z * term;
            scaled -= (window.low + step) * z * term;
        }
        const double s = width * a_;
        const double factor = total(half, atLow, atHigh) / (s * std::sqrt(2 * std::numbers::pi));
        return {factor * mass, factor * linear / s, factor * scaled / width};
    }

    /// The factors (1 + y)^e and (1 - y)^e that the rule does not hold.
    double shapeAt(double fromLow, double fromHigh, bool atLow, bool atHigh) const {
        if (atLow && atHigh) return 1;
        if (!steep_) {
            const double y = std::abs(fromLow < fromHigh ? 1 - fromLow : 1 - fromHigh);
            const double logarithm = y < 0.5 ? std::log1p(-y * y) : std::log(fromLow) + std::log(fromHigh);
            return std::exp(exponent_ * logarithm);
        }
        return std::pow(atLow ? fromHigh : atHigh ? fromLow : fromLow * fromHigh, exponent_);
    }

    /// The integral of the rule's own weight over the window, times the density's constant.
    double total(double half, bool atLow, bool atHigh) const {
        if (atLow && atHigh) return 1;
        if (!atLow && !atHigh) return constant_ * 2 * half;
        return constant_ * std::pow(2 * half, exponent_ + 1) / (exponent_ + 1);
    }

    const QuadratureRule& ruleFor(bool atLow, bool atHigh) {
        auto& rule = rules_[(atLow ? 1 : 0) + (atHigh ? 2 : 0)];
        if (!rule) rule = gaussJacobi(nodeCount, atHigh ? exponent_ : 0, atLow ? exponent_ : 0);
        return *rule;
    }

    double a_;
    double exponent_;
    bool steep_;
    double constant_;
    double clip_;
    std::array<std::shared_ptr<const QuadratureRule>, 4> rules_;
};

/// Student's t of length b: a Gaussian of variance b^2/(2g), where g has the gamma distribution of
/// shape k - 1/2. With g = shape e^d its density by d is proportional to exp(-shape (e^d - 1 - d)):
/// analytic for |Im d| < pi/2, so that equal steps converge exponentially.
Core heavyTailed(const Density1d& density, double distance, double s) {
    const double b = density.length(), k = 1 / (1 - density.alpha());
    const double shape = k - 0.5;
    const double step = std::min(0.15, 0.6 / std::sqrt(shape));
    // d where shape (e^d - 1 - d) exceeds `depth`, below 0 and above.
    const auto below = [&](double depth) { return depth / shape + std::sqrt(2 * depth / shape); };
    const double q = negligible / shape;
    const double high = std::min(std::sqrt(2 * q), std::log1p(2 * q) + 1);
    // A far centre is met by flat Gaussians, of smaller g; past 700 everything underflows.
    const double far = std::min(2 * std::log(std::hypot(1, distance / b)) + below(negligible), below(700));
    Core sum;
    double mass = 0;
    for (auto i = static_cast<long>(std::floor(-far / step)); static_cast<double>(i) * step <= high; ++i) {
        const double d = static_cast<double>(i) * step;
        const double weight = std::exp(-shape * (std::expm1(d) - d));
        const Core part = convolution(distance, b * (b / (2 * shape)) * std::exp(-d), s);
        mass += weight;
        sum.value += weight * part.value;
        sum.byMean += weight * part.byMean;
        sum.byLogLength += weight * part.byLogLength;
    }
    return {sum.value / mass, sum.byMean / mass, sum.byLogLength / mass};
}

Expectation1d complete(const Core& core, const Density1d& density) {
    const double alpha = density.alpha();
    Expectation1d result;
    result.value = core.value;
    result.byMean = core.byMean;
    result.byLogLength = core.byLogLength;
    const double variance = density.variance();
    result.byVariance = std::isinf(variance) ? std::numeric_limits<double>::quiet_NaN()
                                             : core.byLogLength / 2 / variance;
    if (!std::isinf(alpha)) {
        const double byLogScale = core.byLogLength / (alpha + 1);
        result.byScale = byLogScale / (density.scale() / density.temperature());
        result.byTemperature = byLogScale / density.temperature();
    }
    return result;
}

}  // namespace

void expectations(const Density1d& density, std::span<const RadialBasis1d> bases,
                  std::span<Expectation1d> results) {
    require(bases.size() == results.size(), "as many results as basis functions");
    const double alpha = density.alpha(), a = density.length();
    const bool gaussian = std::abs(alpha - 1) < gaussianBelow;
    std::optional<WindowedQuadrature> quadrature;
    if (!gaussian && alpha > 1) quadrature.emplace(density);
    for (std::size_t j = 0; j < bases.size(); ++j) {
        const double s = bases[j].deviation, distance = bases[j].centre - density.mean();
        require(s > 0, "a basis function of deviation above 0");
        const bool central = s <= a && std::abs(distance) <= a;
        Core core;
        if (gaussian) {
            core = convolution(distance, density.scale(), s);
        } else if (alpha < 1) {
            core = heavyTailed(density, distance, s);
        } else if (alpha == 2 && central) {
            core = parabolaClosedForm(a, distance, s);
        } else if (std::isinf(alpha) && central) {
            core = uniformClosedForm(a, distance, s);
        } else {
            core = (*quadrature)(distance, s);
        }
        results[j] = complete(core, density);
    }
}

Expectation1d expectation(const Density1d& density, const RadialBasis1d& basis) {
    Expectation1d result;
    expectations(density, {&basis, 1}, {&result, 1});
    return result;
}

void gradientByWeights(std::span<const double> weights, Positions positions, VarianceFloor floor,
                       double byMean, double byVariance, std::span<double> byWeight) {
    require(weights.size() == byWeight.size(), "as many derivatives as weights");
    const std::size_t length = weights.size();
    std::ranges::fill(byWeight, 0.0);
    const auto moments = weightedMoments(weights, positions);
    if (!moments) return;
    double sum = 0;
    for (const double weight : weights) sum += weight;
    const double floored = flooredVariance(moments->variance, length, floor);
    if (floor == VarianceFloor::Clip && floored > moments->variance) byVariance = 0;
    for (std::size_t l = 0; l < length; ++l) {
        const double offset = position(l, length, positions) - moments->mean;
        byWeight[l] = (byMean * offset + byVariance * (offset * offset - moments->variance)) / sum;
    }
}

}  // namespace fovea
