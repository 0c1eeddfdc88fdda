// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/moments.h"

#include <algorithm>
#include <cmath>

#include "core/mechanism/kernels/row_kernels.h"
#include "core/support/precondition.h"

namespace fovea {

double position(std::size_t index, std::size_t length, Positions positions) {
    require(index < length, "a position below the length");
    const double at = static_cast<double>(index);
    const double count = static_cast<double>(length);
    switch (positions) {
        case Positions::Paper: return (at + 1) / count;
        case Positions::Midpoint: return (at + 0.5) / count;
        case Positions::Endpoints: break;
    }
    return length == 1 ? 0.5 : at / (count - 1);
}

namespace {

/// Sums outside this range may have lost digits on the way, or overflowed.
constexpr double leastSum = 1e-200;
constexpr double largestSum = 1e200;

// What the rounding of the mean left over is taken out of both moments.
Moments1d corrected(double mean, double deviation, double square, double total) {
    const double shift = deviation / total;
    return {mean + shift, std::max(square / total - shift * shift, 0.0)};
}

/// Divided by the largest first, so that neither tiny nor huge weights leave the range of double.
template <class T>
std::optional<Moments1d> scaledMoments(std::span<const T> weights, Positions positions) {
    double largest = 0;
    for (const double weight : weights) {
        if (!(weight >= 0) || std::isinf(weight)) return std::nullopt;
        largest = std::max(largest, weight);
    }
    if (largest == 0) return std::nullopt;
    double total = 0, first = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double weight = static_cast<double>(weights[i]) / largest;
        total += weight;
        first += weight * position(i, weights.size(), positions);
    }
    const double mean = first / total;
    double deviation = 0, square = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double distance = position(i, weights.size(), positions) - mean;
        const double weighted = static_cast<double>(weights[i]) / largest * distance;
        deviation += weighted;
        square += weighted * distance;
    }
    return corrected(mean, deviation, square, total);
}

template <class T>
std::optional<Moments1d> momentsOf(std::span<const T> weights, Positions positions) {
    if (weights.size() < 2) return scaledMoments(weights, positions);
    const double count = static_cast<double>(weights.size());
    const bool endpoints = positions == Positions::Endpoints;
    const double offset = endpoints ? 0 : positions == Positions::Paper ? 1 : 0.5;
    const double step = 1 / (endpoints ? count - 1 : count);
    const auto sums = kernels::momentSums(weights.data(), weights.size(), offset, step);
    if (!sums.valid) return std::nullopt;
    if (!(sums.total >= leastSum && sums.total <= largestSum)) return scaledMoments(weights, positions);
    return corrected(sums.mean, sums.deviation, sums.square, sums.total);
}

}  // namespace

std::optional<Moments1d> weightedMoments(std::span<const double> weights, Positions positions) {
    return momentsOf(weights, positions);
}

std::optional<Moments1d> weightedMoments(std::span<const float> weights, Positions positions) {
    return momentsOf(weights, positions);
}

double flooredVariance(double variance, std::size_t length, VarianceFloor floor) {
    require(length > 0, "at least one position");
    const double count = static_cast<double>(length);
    const double cell = 1 / (12 * count * count);
    switch (floor) {
        case VarianceFloor::Cell: return variance + cell;
        case VarianceFloor::Clip: return clippedVariance(variance, cell);
        case VarianceFloor::None: break;
    }
    return variance;
}

double clippedVariance(double variance, double bound) {
    return std::max(variance, bound);
}

}  // namespace fovea
