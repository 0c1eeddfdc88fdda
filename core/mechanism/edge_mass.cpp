// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/edge_mass.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace fovea {

namespace {

template <std::size_t n>
struct Rule {
    std::array<double, n> nodes{};  // on [-1, 1]
    std::array<double, n> weights{};
};

/// Gauss-Legendre: Newton's method on the Legendre polynomial from the usual cosines.
template <std::size_t n>
Rule<n> makeRule() {
    Rule<n> rule;
    const double count = static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) {
        double x = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (count + 0.5));
        double slope = 1;
        for (int step = 0; step < 8; ++step) {
            double previous = 1;
            double value = x;
            for (std::size_t k = 2; k <= n; ++k) {
                const double degree = static_cast<double>(k);
                const double next = ((2 * degree - 1) * x * value - (degree - 1) * previous) / degree;
                previous = value;
                value = next;
            }
            slope = count * (x * value - previous) / (x * x - 1);
            x -= value / slope;
        }
        rule.nodes[i] = x;
        rule.weights[i] = 2 / ((1 - x * x) * slope * slope);
    }
    return rule;
}

const Rule<8> shortRule = makeRule<8>();
const Rule<16> longRule = makeRule<16>();

template <std::size_t n, class Integrand>
double integral(const Rule<n>& rule, double from, double to, Integrand integrand) {
    const double half = (to - from) / 2;
    const double middle = from + half;
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += rule.weights[i] * integrand(middle + half * rule.nodes[i]);
    return half * sum;
}

/// Natural logarithm of what is left out at the far end of a segment, relative to the near end.
constexpr double negligible = 45;
/// Up to this power the edge of the disc is met by substitution, above it is never reached.
constexpr double steepest = 8;
/// Lengths whose squares are still numbers. A heavy tail has no end before them.
constexpr double farthest = 1e150;

bool farFromPoles(double d, double from, double to, double farness) {
    const double half = (to - from) / 2;
    return std::hypot(from + half, d) >= farness * half;
}

}  // namespace

/// A line at distance d > 0 and half the chord c that the disc cuts from it.
struct RadialMass::Line {
    double d = 0;
    double chord = 0;
};

RadialMass RadialMass::gaussian() {
    return {};
}

RadialMass RadialMass::beta(double exponent) {
    RadialMass made;
    made.family_ = Family::Beta;
    made.power_ = exponent + 1;
    made.reach_ = std::sqrt(-std::expm1(-750 / made.power_));
    if (made.power_ <= 4 && made.power_ == std::floor(made.power_)) {
        made.wholePower_ = static_cast<int>(made.power_);
    }
    return made;
}

RadialMass RadialMass::studentT(double degreesOfFreedom) {
    RadialMass made;
    made.family_ = Family::StudentT;
    made.power_ = degreesOfFreedom / 2;
    made.reach_ = std::numeric_limits<double>::infinity();
    return made;
}

bool RadialMass::reaches(double distance) const {
    return std::abs(distance) < reach_;
}

double RadialMass::tail(const Line& line, double s) const {
    const double q = line.d * line.d + s * s;
    if (family_ == Family::Gaussian) return std::exp(-q / 2);
    if (family_ == Family::StudentT) return std::exp(-power_ * std::log1p(q / (2 * power_)));
    const double rest = (line.chord - s) * (line.chord + s);
    if (rest <= 0) return 0;
    if (wholePower_ > 0) {
        double product = rest;
        for (int k = 1; k < wholePower_; ++k) product *= rest;
        return product;
    }
    return std::exp(power_ * (q < 0.5 ? std::log1p(-q) : std::log(rest)));
}

/// ln of tail(from)/tail(to), an upper bound of it where that is small.
double RadialMass::logFall(const Line& line, double from, double to) const {
    const double fall = (to - from) * (to + from);
    if (family_ == Family::Gaussian) return fall / 2;
    if (family_ == Family::StudentT) {
        return power_ * std::log1p(fall / (2 * power_ + line.d * line.d + from * from));
    }
    const double rest = (line.chord - to) * (line.chord + to);
    const double ratio = fall / rest;
    return power_ * (ratio < 0.1 ? ratio : std::log1p(ratio));
}

/// Where the segment may end without a loss.
double RadialMass::reach(const Line& line, double from, double to) const {
    if (family_ == Family::Gaussian) return std::min(to, std::sqrt(from * from + 2 * negligible));
    if (family_ == Family::StudentT) {
        const double near = 2 * power_ + line.d * line.d + from * from;
        return std::min({to, farthest, std::sqrt(from * from + near * std::expm1(negligible / power_))});
    }
    if (power_ <= steepest) return std::min(to, line.chord);
    const double rest = (line.chord - from) * (line.chord + from);
    return std::min(to, std::sqrt(from * from - rest * std::expm1(-negligible / power_)));
}

/// Whether a panel is smooth: `farness` half-lengths away from the kernel's poles +-i d, a part of that from
/// the disc's edge, and the integrand not falling by more than exp(-fall).
bool RadialMass::fits(const Line& line, double from, double to, double farness, double fall) const {
    if (!farFromPoles(line.d, from, to, farness)) return false;
    if (family_ == Family::Beta && line.chord - to < (farness - 1) * (to - from) / 2) return false;
    return logFall(line, from, to) <= fall;
}

/// The panel that ends at the disc's edge, where the integrand behaves as the distance to it to the
/// power e + 1: in the cube root of that distance it is smooth.
double RadialMass::lastPanel(const Line& line, double from) const {
    const double width = line.chord - from;
    return width * integral(longRule, 0, 1, [&](double v) {
        const double gap = width * v * v * v;
        const double s = line.chord - gap;
        const double rest = gap * (line.chord + s);
        return 3 * v * v * std::exp(power_ * std::log(rest)) / (line.d * line.d + s * s);
    });
}

/// Panels that grow with their distance from the poles and shrink towards the edge.
double RadialMass::panels(const Line& line, double from, double to) const {
    const auto integrand = [&](double s) { return tail(line, s) / (line.d * line.d + s * s); };
    const bool endsAtEdge = family_ == Family::Beta && power_ <= steepest && to >= line.chord;
    double sum = 0;
    for (double s = from; s < to;) {
        if (endsAtEdge && farFromPoles(line.d, s, to, 3)) return sum + lastPanel(line, s);
        double next = to;
        while (!fits(line, s, next, 1.5, 14) && next - s > 1e-14 * next) next = s + (next - s) / 2;
        sum += fits(line, s, next, 3, 3) ? integral(shortRule, s, next, integrand)
                                         : integral(longRule, s, next, integrand);
        s = next;
    }
    return sum;
}

/// 0 <= from <= to.
double RadialMass::onOneSide(double distance, double from, double to) const {
    if (family_ == Family::StudentT && distance > 1e-10 * farthest) {
        // So far out the tail is a power of the distance, and all lengths can be measured in 1e100.
        const double fall = std::exp(-2 * power_ * std::log(1e100));
        return fall * onOneSide(distance * 1e-100, from * 1e-100, to * 1e-100);
    }
    Line line{distance, 0};
    if (!reaches(std::hypot(distance, from))) return 0;
    if (family_ == Family::Beta) {
        line.chord = std::sqrt((1 - distance) * (1 + distance));
        if (from >= line.chord) return 0;
    }
    if (from >= farthest) return 0;  // less than 1e-10 of a tail
    const double end = reach(line, from, to);
    if (!(end > from)) return 0;
    return line.d * panels(line, from, end);
}

double RadialMass::beyond(double distance, double from, double to) const {
    if (distance < 0) return -beyond(-distance, from, to);
    const double d = std::max(distance, 1e-290);
    double angle = 0;
    if (from >= 0) {
        angle = onOneSide(d, from, to);
    } else if (to <= 0) {
        angle = onOneSide(d, -to, -from);
    } else {
        angle = onOneSide(d, 0, -from) + onOneSide(d, 0, to);
    }
    return angle / (2 * std::numbers::pi);
}

}  // namespace fovea
