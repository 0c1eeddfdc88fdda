// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace fovea {

/// Jensen-Shannon divergence in nats, 0..ln 2; p, q of equal length, each summing to 1.
/// Accurate for near-equal p, q. NaN when a weight is. maths 8.
double jensenShannon(std::span<const double> p, std::span<const double> q);

/// sum |p - q| / 2.
double totalVariation(std::span<const double> p, std::span<const double> q);

}  // namespace fovea
