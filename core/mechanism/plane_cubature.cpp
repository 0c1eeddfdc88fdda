// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/plane_cubature.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/support/precondition.h"

namespace fovea {

namespace {

/// Natural logarithm of what may be left out beside the largest part.
constexpr double negligible = 45;
/// ln of what is no longer a double.
constexpr double vanished = 745;
/// Up to this exponent rules know the ends of the ellipse, above it is never reached.
constexpr double steepest = 8;

/// x^e, for the common exponents without the general power.
double raised(double x, double e) {
    if (e == 0) return 1;
    if (e == 1) return x;
    if (e == 2) return x * x;
    return std::pow(x, e);
}

/// Multiples of 8 up to 64.
std::size_t nodesFor(double half, double middle, bool partial) {
    const double slope = std::min(half * std::abs(middle), 60.0);
    const double count = std::max(16 + 3.8 * half + 0.4 * slope, partial ? 32.0 : 8.0);
    return 8 * static_cast<std::size_t>(std::clamp(std::ceil(count / 8), 1.0, 8.0));
}

/// B(e + 1, e + 1), for small e.
double betaOfBoth(double exponent) {
    return std::sqrt(std::numbers::pi) * std::tgamma(exponent + 1) / std::tgamma(exponent + 1.5) /
           std::exp2(2 * exponent + 1);
}

}  // namespace

std::vector<UnitVector> unitVectors(std::size_t count) {
    constexpr std::size_t all = 192;
    require(count > 0 && all % count == 0, "a number of angles that divides 192");
    static const std::vector<UnitVector> table = [] {
        std::vector<UnitVector> vectors;
        for (std::size_t m = 0; m < all; ++m) {
            const double angle = 2 * std::numbers::pi * static_cast<double>(m) / static_cast<double>(all);
            vectors.push_back({std::cos(angle), std::sin(angle)});
        }
        return vectors;
    }();
    std::vector<UnitVector> chosen;
    for (std::size_t m = 0; m < all; m += all / count) chosen.push_back(table[m]);
    return chosen;
}

PlaneCubature::PlaneCubature(double exponent) : exponent_(exponent) {
    if (exponent > steepest) return;
    innerBeta_ = betaOfBoth(exponent);
    outerBeta_ = betaOfBoth(exponent + 0.5);
}

/// A piece of a line across the ellipse, whose ends are -1 and 1 in its own unit: the distances from -1 to
/// the piece and from the piece to 1 in that unit, and where it lies along y.
struct PlaneCubature::Range {
    double below = 0, above = 0;
    double length = 2;
    double from = 0, to = 0;
};

/// What psi (1 - q)^e reaches: windows along y1 and y2, |y|^2 <= square, q <= reach^2.
struct PlaneCubature::Region {
    bool empty = false;
    bool soft = false;
    Interval first, second;
    double square = 0;
    double reach = 1;
};

PlaneCubature::Region PlaneCubature::regionOf(const PlaneProblem& problem) const {
    return exponent_ > steepest ? softRegion(problem) : sharpRegion(problem);
}

/// ln(psi (1 - q)^e) is concave, and at least as curved as it is at the centre of the ellipse.
PlaneCubature::Region PlaneCubature::softRegion(const PlaneProblem& problem) const {
    const auto [summit, largest] = summitOf(problem, exponent_);
    const double budget = negligible - largest;
    const auto around = [&](double place, double axis) {
        const double half = std::sqrt(2 * negligible / (1 + 2 * exponent_ / (axis * axis)));
        return Interval{place - half, place + half};
    };
    Region region;
    region.empty = largest < -vanished;
    region.soft = true;
    region.first = around(summit.x(), problem.a1);
    region.second = around(summit.y(), problem.a2);
    region.square = 2 * budget;
    region.reach = std::sqrt(-std::expm1(-budget / exponent_));
    return region;
}

/// The ellipse lies beyond the tangent at its nearest point, psi within a circle: a cap.
PlaneCubature::Region PlaneCubature::sharpRegion(const PlaneProblem& problem) const {
    const Eigen::Vector2d nearest = nearestToOrigin(problem);
    const double distance = nearest.norm();
    Region region;
    region.empty = distance * distance / 2 > vanished;
    region.square = distance * distance + 2 * negligible;
    const double height = distance > 0 ? std::sqrt(region.square) - distance : 0.0;
    const Eigen::Vector2d normal =
        distance > 0 ? Eigen::Vector2d(nearest / distance) : Eigen::Vector2d(0, 1);
    const auto along = [&](int axis) {
        const double half = std::sqrt(2 * negligible) * std::abs(normal(1 - axis));
        return Interval{nearest(axis) - half - height * std::max(0.0, -normal(axis)),
                        nearest(axis) + half + height * std::max(0.0, normal(axis))};
    };
    region.first = along(0);
    // Inside the ellipse psi reaches as far in every direction.
    const double far = std::sqrt(region.square);
    region.second = distance > 0 ? along(1) : Interval{-far, far};
    return region;
}

const QuadratureRule& PlaneCubature::rule(std::size_t nodes, bool inner, bool upperEnd, bool lowerEnd) {
    const std::size_t kind = (inner ? 4 : 0) + (upperEnd ? 2 : 0) + (lowerEnd ? 1 : 0);
    auto& kept = rules_[kind * 9 + nodes / 8];
    if (!kept) {
        const double power = inner ? exponent_ : exponent_ + 0.5;
        kept = gaussJacobi(nodes, upperEnd ? power : 0, lowerEnd ? power : 0);
    }
    return *kept;
}

/// The integral over a piece of (1 - v^2)^power, v in the line's unit; `visit` gets y, 1 - v^2, the weight.
template <class Visit>
void PlaneCubature::integrate(const Range& range, double centre, double unit, bool inner, Visit visit) {
    const double power = inner ? exponent_ : exponent_ + 0.5;
    const bool soft = exponent_ > steepest;
    Range piece = range;
    const bool lowerEnd = !soft && piece.below < 0.1 * piece.length;
    const bool upperEnd = !soft && piece.above < 0.1 * piece.length;
    if (lowerEnd) piece.from = centre - unit;
    if (upperEnd) piece.to = centre + unit;
    if (lowerEnd) piece.length += std::exchange(piece.below, 0.0);
    if (upperEnd) piece.length += std::exchange(piece.above, 0.0);
    const double reach = piece.to - piece.from;
    // Of large e the density itself may be as narrow as psi.
    const std::size_t nodes =
        soft ? 64 : nodesFor(reach / 2, (piece.from + piece.to) / 2, !(lowerEnd && upperEnd));
    const QuadratureRule& nodesOf = rule(nodes, inner, upperEnd, lowerEnd);
    double total = piece.length;
    if (lowerEnd != upperEnd) total *= raised(piece.length, power) / (power + 1);
    if (lowerEnd && upperEnd) total *= std::pow(piece.length, 2 * power) * (inner ? innerBeta_ : outerBeta_);
    for (std::size_t k = 0; k < nodesOf.nodes.size(); ++k) {
        const double lower = nodesOf.toLower[k] / 2, upper = nodesOf.toUpper[k] / 2;
        const double fromLower = piece.below + piece.length * lower;
        const double fromUpper = piece.above + piece.length * upper;
        const double y = lower < upper ? piece.from + reach * lower : piece.to - reach * upper;
        double weight = total * nodesOf.weights[k];
        if (soft) {
            const double v = (y - centre) / unit;
            weight *= std::exp(power * std::log1p(-v * v));
        } else {
            if (!lowerEnd) weight *= raised(fromLower, power);
            if (!upperEnd) weight *= raised(fromUpper, power);
        }
        visit(y, fromLower * fromUpper, weight);
    }
}

/// The part of the line from centre - unit to centre + unit.
PlaneCubature::Range PlaneCubature::partOf(double centre, double unit, double from, double to) {
    Range range;
    range.from = std::max(from, centre - unit);
    range.to = std::min(to, centre + unit);
    range.below = range.from == centre - unit ? 0.0 : 1 + (range.from - centre) / unit;
    range.above = range.to == centre + unit ? 0.0 : 1 - (range.to - centre) / unit;
    range.length = (range.to - range.from) / unit;
    return range;
}

/// The integral over y2 at one y1, where 1 - ((y1 - m1)/a1)^2 = `square`.
void PlaneCubature::alongLine(const PlaneProblem& problem, const Region& region, double y1, double square,
                              double weight, PlaneTerms& sums) {
    const double unit = problem.a2 * std::sqrt(square);
    const double beyond = (1 - region.reach) * (1 + region.reach);
    const double edge = region.soft ? problem.a2 * std::sqrt(std::max(0.0, square - beyond)) : unit;
    const double gap = std::max(0.0, std::abs(problem.m2) - edge);
    double farthest = region.square - y1 * y1;
    if (!region.soft) farthest = std::min(farthest, gap * gap + 2 * negligible);
    if (!(farthest > gap * gap)) return;
    const double far = std::sqrt(farthest);
    const double from = std::max({-far, problem.m2 - edge, region.second.low});
    const double to = std::min({far, problem.m2 + edge, region.second.high});
    if (!(to > from)) return;
    const Range range = partOf(problem.m2, unit, from, to);
    integrate(range, problem.m2, unit, true, [&](double y2, double innerSquare, double innerWeight) {
        const double part = weight * innerWeight * std::exp(-(y1 * y1 + y2 * y2) / 2);
        const double second = part * square * innerSquare;
        sums.value += part;
        sums.d1 -= part * y1;
        sums.d2 -= part * y2;
        sums.h11 += second * (y1 * y1 - 1);
        sums.h12 += second * (y1 * y2);
        sums.h22 += second * (y2 * y2 - 1);
    });
}

PlaneTerms PlaneCubature::windowed(const PlaneProblem& problem) {
    const Region region = regionOf(problem);
    PlaneTerms sums;
    const double edge = problem.a1 * region.reach;
    const double from = std::max(region.first.low, problem.m1 - edge);
    const double to = std::min(region.first.high, problem.m1 + edge);
    if (region.empty || !(to > from)) return sums;
    const double constant = (exponent_ + 1) / std::numbers::pi;
    const Range range = partOf(problem.m1, problem.a1, from, to);
    integrate(range, problem.m1, problem.a1, false, [&](double y1, double square, double weight) {
        alongLine(problem, region, y1, square, constant * weight, sums);
    });
    return sums;
}

std::size_t PlaneCubature::polarSize(const PlaneProblem& problem) const {
    // Half of how much ln psi varies over the density's bulk; the sizes are those that were found to leave
    // less than 1e-12 of the value, at all e.
    const double bulk = problem.a1 * std::sqrt(3 / (exponent_ + 3));
    const double variation = bulk * (std::hypot(problem.m1, problem.m2) + bulk / 2);
    constexpr std::array<std::pair<double, std::size_t>, 5> sizes{
        {{0.4, 8}, {1.4, 12}, {4.0, 16}, {10.0, 24}, {22.0, 32}}};
    // Of large e the rules are those of Laguerre, which do with densities not much wider than psi.
    const double square = exponent_ > steepest ? bulk * bulk : 0.0;
    if (square > 14) return 0;
    for (const auto& [most, nodes] : sizes) {
        if (variation <= most) return std::max(nodes, square > 8 ? std::size_t{32} : square > 4 ? 24 : 8);
    }
    return 0;
}

PlaneTerms PlaneCubature::terms(const PlaneProblem& problem) {
    const std::size_t nodes = polarSize(problem);
    return nodes > 0 ? polar(problem, nodes) : windowed(problem);
}

PlaneTerms PlaneCubature::polar(const PlaneProblem& problem, std::size_t nodes) {
    auto& ring = rings_[nodes / 4];
    auto& around = angles_[nodes / 4];
    if (!ring) {
        ring = gaussJacobi(nodes, exponent_, 0);
        around = unitVectors(2 * nodes);
    }
    PlaneTerms sums;
    for (std::size_t k = 0; k < nodes; ++k) {
        const double radius = std::sqrt(ring->toLower[k] / 2);
        PlaneTerms ofRing;
        for (const UnitVector& angle : around) {
            const double y1 = problem.m1 + problem.a1 * radius * angle.cosine;
            const double y2 = problem.m2 + problem.a2 * radius * angle.sine;
            const double psi = std::exp(-(y1 * y1 + y2 * y2) / 2);
            ofRing.value += psi;
            ofRing.d1 -= psi * y1;
            ofRing.d2 -= psi * y2;
            ofRing.h11 += psi * (y1 * y1 - 1);
            ofRing.h12 += psi * (y1 * y2);
            ofRing.h22 += psi * (y2 * y2 - 1);
        }
        const double weight = ring->weights[k] / static_cast<double>(around.size());
        sums.add(weight, weight * ring->toUpper[k] / 2, ofRing);
    }
    return sums;
}

}  // namespace fovea
