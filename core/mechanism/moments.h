// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace fovea {

/// Where token l = 1..L stands on the unit interval. maths 3.
enum class Positions {
    Paper,      ///< l/L
    Midpoint,   ///< (l - 1/2)/L
    Endpoints,  ///< (l - 1)/(L - 1); 1/2 when L = 1
};

/// What keeps a degenerate variance away from 0. maths 3.
enum class VarianceFloor {
    Cell,  ///< plus 1/(12 L^2), the variance of a weight spread over its cell
    Clip,  ///< at least 1/(12 L^2)
    None,
};

struct Moments1d {
    double mean = 0;
    double variance = 0;
};

double position(std::size_t index, std::size_t length, Positions positions);

/// Weighted mean and variance over positions, in two passes; weights are normalised by their sum
/// first. None when the weights sum to 0 or one is not finite.
std::optional<Moments1d> weightedMoments(std::span<const double> weights,
                                         Positions positions = Positions::Midpoint);

/// The variance after `floor` over L = `length` positions.
double flooredVariance(double variance, std::size_t length, VarianceFloor floor);
/// The `Clip` floor with a bound of one's own.
double clippedVariance(double variance, double bound);

}  // namespace fovea
