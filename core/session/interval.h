// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/session/evaluation.h"
#include "core/session/mechanism_choice.h"
#include "core/support/result.h"

namespace fovea::session {

/// A density with its share of the mass.
struct WeightedDensity {
    double weight = 1;
    Density1d density;
};

/// The density that `mechanism` makes of discrete weights over L = weights.size() >= 1 positions,
/// on the unit interval: token l = 1..L stands at (l - 1/2)/L. Errors: weights without moments, a
/// variance of 0 without a floor.
Result<Density1d> densityOverText(std::span<const double> weights, const MechanismChoice& mechanism);
/// That density alone, or the components of a mixture, heaviest first.
Result<std::vector<WeightedDensity>> densitiesOverText(std::span<const double> weights,
                                                       const MechanismChoice& mechanism);

/// The density's mass on each of `length` equal parts of the unit interval. Each part is taken from
/// the tail on its own side of the mean, so that far parts keep their digits. Cost: one cdf a part.
std::vector<double> massOfTokens(const Density1d& density, std::size_t length);
/// Of the summed density.
std::vector<double> massOfTokens(std::span<const WeightedDensity> densities, std::size_t length);

/// The density in tokens: x = length * t; values per token.
IntervalEvaluation describeInterval(const Density1d& density, std::size_t length);
/// The summed density; of one alone, as above. Its entropy to about six digits.
IntervalEvaluation describeInterval(std::span<const WeightedDensity> densities, std::size_t length);

}  // namespace fovea::session
