// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/heavy_tail.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/mechanism/beta_functions.h"

namespace fovea::heavy_tail {

namespace {

/// Y = Z/sqrt(1 + Z^2) has the symmetric beta density of exponent k - 3/2.
beta_functions::Place placeOf(double h) {
    const double hypotenuse = std::hypot(1, h);
    const double logRest = h < 1 ? -std::log1p(h * h) : -2 * std::log(hypotenuse);
    return {h / hypotenuse, 1 / hypotenuse / hypotenuse, logRest};
}

/// Newton's method for an increasing function of ln h, kept inside a bracket that shrinks.
template <class Function>
double increasingRoot(double low, double high, double start, Function evaluate) {
    double at = start;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const auto [value, slope] = evaluate(at);
        (value < 0 ? low : high) = at;
        double next = at * std::exp(-value / slope);
        if (!(next > low && next < high)) next = std::sqrt(low) * std::sqrt(high);
        const double moved = std::abs(next - at);
        at = next;
        if (moved <= std::numeric_limits<double>::epsilon() * at) break;
    }
    return at;
}

struct ValueAndSlope {
    double value;
    double slope;
};

}  // namespace

double logConstant(double k) {
    return beta_functions::logGammaHalfStep(k - 0.5) - 0.5 * std::log(std::numbers::pi);
}

double upperTail(double h, double k) {
    return beta_functions::upperTail(placeOf(h), k - 1.5);
}

double centralMass(double h, double k) {
    return beta_functions::centralMass(placeOf(h), k - 1.5);
}

double centralQuantile(double mass, double k) {
    if (mass <= 0) return 0;
    if (mass >= 1) return std::numeric_limits<double>::infinity();
    const double constant = std::exp(logConstant(k));
    // h times the density of |Z|: the derivative of the mass by ln h.
    const auto slopeAt = [&](double h) { return 2 * constant * h * std::exp(k * placeOf(h).logRest); };
    // The mass is below its tangent at 0; the tail below C h^(1-2k)/(k - 1/2), its limit.
    const double logOutside = std::log1p(-mass);
    const double least = 0.5 * mass / constant;
    const double most = std::exp((logConstant(k) - logOutside - std::log(k - 0.5)) / (2 * k - 1));
    if (mass <= 0.5) {
        return increasingRoot(least / 2, std::max(most, 2 * least), least, [&](double h) {
            const double found = centralMass(h, k);
            return ValueAndSlope{std::log(found / mass), slopeAt(h) / found};
        });
    }
    // Of the Gaussian, which the root lies beyond and nears as k grows.
    const double start = std::max(least, beta_functions::inverseErf(mass) / std::sqrt(k));
    return increasingRoot(least / 2, std::max(2 * most, 2 * least), start, [&](double h) {
        const double outside = 2 * upperTail(h, k);
        return ValueAndSlope{logOutside - std::log(outside), slopeAt(h) / outside};
    });
}

double meanLogarithm(double k) {
    return beta_functions::digammaHalfStep(k - 0.5);
}

}  // namespace fovea::heavy_tail
