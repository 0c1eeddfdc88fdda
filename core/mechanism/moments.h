// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace fovea {

/// Where token l = 1..L stands on the unit interval. [N20] writes l/L; its programs use the other
/// two, for different purposes; one convention serves for everything here.
enum class Positions {
    Paper,      ///< l/L
    Midpoint,   ///< (l - 1/2)/L
    Endpoints,  ///< (l - 1)/(L - 1); 1/2 when L = 1
};

/// What keeps a degenerate variance (all weight on one token) away from 0.
enum class VarianceFloor {
    Cell,  ///< plus 1/(12 L^2), the variance of a weight spread over its cell
    Clip,  ///< at least 1/(12 L^2)
    None,
};

struct Moments1d {
    double mean = 0;
    double variance = 0;
};

/// The place of token `index`, counted from 0 and below `length`.
double position(std::size_t index, std::size_t length, Positions positions);

/// m = sum w t and V = sum w (t - m)^2 over positions t, in two passes, since sum w t^2 - m^2
/// cancels; weights are normalised by their sum first. None when there are no weights, they sum to
/// 0, or one is negative or not finite. Cost: O(L).
std::optional<Moments1d> weightedMoments(std::span<const double> weights,
                                         Positions positions = Positions::Midpoint);
std::optional<Moments1d> weightedMoments(std::span<const float> weights,
                                         Positions positions = Positions::Midpoint);

/// The variance after `floor` over L = `length` > 0 positions.
double flooredVariance(double variance, std::size_t length, VarianceFloor floor);
/// The `Clip` floor with a bound of one's own.
double clippedVariance(double variance, double bound);

}  // namespace fovea
