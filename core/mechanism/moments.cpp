// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/moments.h"

#include <algorithm>
#include <cmath>

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

std::optional<Moments1d> weightedMoments(std::span<const double> weights, Positions positions) {
    double largest = 0;
    for (const double weight : weights) {
        if (!(weight >= 0) || std::isinf(weight)) return std::nullopt;
        largest = std::max(largest, weight);
    }
    if (largest == 0) return std::nullopt;
    // Divided by the largest first, so that neither tiny nor huge weights leave the range of double.
    double total = 0;
    double first = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double weight = weights[i] / largest;
        total += weight;
        first += weight * position(i, weights.size(), positions);
    }
    const double mean = first / total;
    double deviation = 0;
    double square = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double distance = position(i, weights.size(), positions) - mean;
        const double weighted = weights[i] / largest * distance;
        deviation += weighted;
        square += weighted * distance;
    }
    // What the rounding of the mean left over.
    const double shift = deviation / total;
    return Moments1d{mean + shift, std::max(square / total - shift * shift, 0.0)};
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
