// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

// Private to core/mechanism and its tests.
namespace fovea {

/// Nodes and weights of a Gauss-Jacobi rule for the weight (1-x)^p (1+x)^r on [-1, 1], divided by the
/// weight's integral: sum_k weights[k] f(nodes[k]) is the mean of f. Exact for polynomials of degree 2n-1.
struct QuadratureRule {
    std::vector<double> nodes;    ///< ascending
    std::vector<double> weights;  ///< sum to 1
    /// Distances to the ends, 1 - x and 1 + x, without the cancellation of subtracting.
    std::vector<double> toUpper;
    std::vector<double> toLower;
};

/// The rule of `count` >= 1 nodes, p and r > -1, by Golub and Welsch. Kept for later calls (a bounded
/// number of rules; safe to call from many threads). p = r = 0 is Gauss-Legendre.
/// Cost: O(count^2) the first time.
std::shared_ptr<const QuadratureRule> gaussJacobi(std::size_t count, double p, double r);

}  // namespace fovea
