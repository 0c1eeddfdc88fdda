// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

// Private to core/mechanism and its tests: the mathematics of one clean row. The public face in
// entmax.h has dealt with NaN, infinite scores, empty rows and the limits.
namespace fovea::entmax_laws {

/// One row to be solved in place.
struct Row {
    std::span<double> values;         ///< in: scores, -infinity where masked; out: weights up to their sum
    double highest;                   ///< the largest score, finite
    double temperature;               ///< > 0, finite
    double alpha;                     ///< >= 1, finite
    std::vector<double>& candidates;  ///< scratch, at least as long as `values`
};

struct Solution {
    double offset = 0;        ///< s
    std::size_t support = 0;  ///< entries with 1 - (alpha-1)(s + d) > 0
};

/// alpha = 1: w = exp(-d), s = ln sum w. Cost: n exponentials.
Solution softmax(const Row& row);

/// alpha = 2, exact: s = (k - 1 - sum of the k smallest gaps)/k, over the support of size k. [S16]
Solution sparsemax(const Row& row);

/// alpha = 1.5, exact: the root of a quadratic on the support, which a partial sort finds. [P19 alg. 2]
Solution entmax15(const Row& row);

/// 1 < alpha <= 2: Newton's method on s, where sum p - 1 is convex and decreasing. [C19]
Solution smooth(const Row& row);

/// alpha > 2 (valid from 2 on): Newton's method on the smallest positive weight, since
/// the slope of p is infinite at the threshold and methods in s or t lose digits there.
Solution steep(const Row& row);

/// The law for `row.alpha`.
Solution solve(const Row& row);

/// Sum whose relative error, for values >= 0, stays at a few ulp for any length.
double accurateSum(std::span<const double> values);

}  // namespace fovea::entmax_laws
