// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

namespace fovea {

/// Jensen-Shannon divergence (KL(p|m) + KL(q|m))/2, m = (p+q)/2, in nats, 0..ln 2. Unlike KL it is
/// finite when the supports differ; its square root is a metric. p, q of equal length, each
/// divided by its sum first. Accurate for near-equal p, q: with x = (p-q)/(p+q),
///     JS = sum (m/2) ((1+x) ln(1+x) + (1-x) ln(1-x)),
/// a series of positive terms in x^2. NaN when a weight is, or when p or q sums to 0.
double jensenShannon(std::span<const double> p, std::span<const double> q);

/// Total variation sum |p - q| / 2 in 0..1, under the same conventions.
double totalVariation(std::span<const double> p, std::span<const double> q);

}  // namespace fovea
