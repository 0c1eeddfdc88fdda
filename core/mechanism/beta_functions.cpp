// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/beta_functions.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace fovea::beta_functions {

namespace {

/// From here on the asymptotic series below are exact to double precision.
constexpr double asymptotic = 16;

/// (1 - 2^(-2k)) B_2k/(k(2k-1)): ln(Gamma(x+1/2)/Gamma(x)) ~ (1/2) ln x - sum_k c_k x^(1-2k).
constexpr std::array<double, 7> coefficients = {
    1.0 / 8, -1.0 / 192, 1.0 / 640, -17.0 / 14336, 31.0 / 18432, -691.0 / 180224, 5461.0 / 425984};

/// ln(1 - h^2) without loss at either end of [0, 1].
double logOneMinusSquare(double h) {
    return h < 0.5 ? std::log1p(-h * h) : std::log1p(-h) + std::log1p(h);
}

/// ln of the density's constant 1/B(1/2, e+1).
double logPeak(double e) {
    return logGammaHalfStep(e + 1) - 0.5 * std::log(std::numbers::pi);
}

double awayFromZero(double value) {
    constexpr double tiny = 1e-290;
    return std::abs(value) < tiny ? tiny : value;
}

/// start + a_1/(b_1 + a_2/(b_2 + ...)) by Lentz's method; `terms(n)` gives a_n and b_n.
template <class Terms>
double continuedFraction(double start, Terms terms) {
    double value = awayFromZero(start);
    double c = value;
    double d = 0;
    // Our fractions end after O(sqrt(e)) terms, 1000 for the largest e that occurs.
    for (int n = 1; n <= 100000; ++n) {
        const auto [numerator, denominator] = terms(n);
        d = 1 / awayFromZero(denominator + numerator * d);
        c = awayFromZero(denominator + numerator / c);
        value *= c * d;
        if (std::abs(c * d - 1) <= std::numeric_limits<double>::epsilon()) break;
    }
    return value;
}

struct FractionTerm {
    double numerator;
    double denominator;
};

/// I_x(a, b) a B(a, b)/(x^a (1-x)^b), for x < (a+1)/(a+b+2).
double centralFraction(double a, double b, double x) {
    return 1 / continuedFraction(1, [=](int n) {
        const double m = n / 2;
        const double scale = x / ((a + n - 1) * (a + n));
        const double numerator = n % 2 ? -(a + m) * (a + b + m) * scale : m * (b - m) * scale;
        return FractionTerm{numerator, 1};
    });
}

/// I_x(a, b) B(a, b)/(x^a y^b) with y = 1 - x, under the same condition: the even part of the
/// fraction above, in which 1 - x does not occur as a difference; so it keeps its accuracy
/// where a is huge and y tiny. [D92] (the function BFRAC there)
double tailFraction(double a, double b, double x, double y) {
    const double c = 1 - b + (a + b) * y;
    return 1 / continuedFraction(c / (1 + 1 / a), [=](int n) {
        const double s = a + 2 * n - 1;
        const double w = n * (b - n) * x;
        const double before = 1 + (n - 1) / a;
        const double numerator = before * (before + b / a) * (a / s) * (a / s) * w * x;
        const double denominator = n + w / s + (1 + n / a) / (1 + (2 * n + 1) / a) * (c + n * (1 + y));
        return FractionTerm{numerator, denominator};
    });
}

Place placeOf(double h) {
    return {h, (1 - h) * (1 + h), logOneMinusSquare(h)};
}

/// h (1-h^2)^(e+1)/B(1/2, e+1), the factor that both fractions share.
double sharedFactor(const Place& place, double e) {
    return place.h * std::exp(logPeak(e) + (e + 1) * place.logRest);
}

/// Whether the fraction of the centre converges quickly; else that of the tail does.
bool nearCentre(double h, double e) {
    return h * h < 1.5 / (e + 3.5);
}

double centralByFraction(const Place& place, double e) {
    return 2 * sharedFactor(place, e) * centralFraction(0.5, e + 1, place.h * place.h);
}

double tailByFraction(const Place& place, double e) {
    return 0.5 * sharedFactor(place, e) * tailFraction(e + 1, 0.5, place.rest, place.h * place.h);
}

/// Newton's method on an increasing function, kept inside a bracket that shrinks; `evaluate`
/// gives value and slope.
template <class Function>
double increasingRoot(double low, double high, double start, Function evaluate) {
    double at = start;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const auto [value, slope] = evaluate(at);
        (value < 0 ? low : high) = at;
        double next = at - value / slope;
        if (!(next > low && next < high)) next = low + (high - low) / 2;
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

double logGammaHalfStep(double x) {
    // Gamma(x+1/2)/Gamma(x) = (x/(x+1/2)) Gamma(x+3/2)/Gamma(x+1).
    double factor = 1;
    for (; x < asymptotic; x += 1) factor *= x / (x + 0.5);
    const double inverseSquare = 1 / (x * x);
    double series = 0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) series = series * inverseSquare + *c;
    return 0.5 * std::log(x) - series / x + std::log(factor);
}

double digammaHalfStep(double x) {
    double sum = 0;
    for (; x < asymptotic; x += 1) sum += 0.5 / (x * (x + 0.5));
    const double inverseSquare = 1 / (x * x);
    double series = 0;
    for (std::size_t k = coefficients.size(); k > 0; --k) {
        series = series * inverseSquare + static_cast<double>(2 * k - 1) * coefficients[k - 1];
    }
    return sum + 0.5 / x + series * inverseSquare;
}

double centralMass(const Place& place, double e) {
    if (place.h <= 0) return 0;
    if (std::isinf(place.logRest)) return 1;
    return nearCentre(place.h, e) ? centralByFraction(place, e) : 1 - 2 * tailByFraction(place, e);
}

double upperTail(const Place& place, double e) {
    if (place.h <= 0) return 0.5;
    if (std::isinf(place.logRest)) return 0;
    return nearCentre(place.h, e) ? 0.5 * (1 - centralByFraction(place, e)) : tailByFraction(place, e);
}

double centralMass(double h, double e) {
    return h >= 1 ? 1.0 : centralMass(placeOf(h), e);
}

double upperTail(double h, double e) {
    return h >= 1 ? 0.0 : upperTail(placeOf(h), e);
}

double centralQuantile(double mass, double e) {
    if (mass <= 0) return 0;
    if (mass >= 1) return 1;
    if (e == 0) return mass;
    if (e == 1) return 2 * std::sin(std::asin(mass) / 3);
    const double peak = std::exp(logPeak(e));
    const auto slopeAt = [&](double h) { return 2 * peak * std::exp(e * logOneMinusSquare(h)); };
    if (mass <= 0.5) {
        // Concave from 0: the tangent there starts below the root, and Newton rises to it.
        return increasingRoot(0, 1, 0.5 * mass / peak, [&](double h) {
            return ValueAndSlope{centralMass(h, e) - mass, slopeAt(h)};
        });
    }
    // Towards the edge the logarithm of the tail is nearly linear where the mass is flat.
    const double logOutside = std::log1p(-mass);
    return increasingRoot(0, 1, centralQuantile(0.5, e), [&](double h) {
        const double outside = 2 * upperTail(h, e);
        return ValueAndSlope{logOutside - std::log(outside), slopeAt(h) / outside};
    });
}

double inverseErf(double mass) {
    if (mass <= 0) return 0;
    if (mass >= 1) return std::numeric_limits<double>::infinity();
    // Winitzki's approximation, good to 2e-3, then Halley's method.
    constexpr double a = 0.147;
    const double logPart = std::log1p(-mass) + std::log1p(mass);
    const double half = 2 / (std::numbers::pi * a) + logPart / 2;
    double x = std::sqrt(std::sqrt(half * half - logPart / a) - half);
    for (int step = 0; step < 3; ++step) {
        const double error = mass <= 0.5 ? std::erf(x) - mass : (1 - mass) - std::erfc(x);
        const double newton = error * std::sqrt(std::numbers::pi) / 2 * std::exp(x * x);
        x -= newton / (1 + x * newton);
    }
    return x;
}

}  // namespace fovea::beta_functions
