// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/support/result.h"

namespace fovea {

/// A member of the discrete entmax family.
struct EntmaxParameters {
    double alpha = 1.0;        ///< >= 1; 1 is softmax, 2 sparsemax; infinity is the argmax
    double temperature = 1.0;  ///< >= 0; 0 is the argmax

    bool operator==(const EntmaxParameters&) const = default;
};

/// Scores at or below this count as masked, as does -infinity.
inline constexpr double maskedScore = -1e30;

/// `parameters` when they are in their domain; else what was found and what is allowed.
Result<EntmaxParameters> checked(EntmaxParameters parameters);

enum class RowState {
    Ok,
    Empty,    ///< every key is masked: all weights are 0
    Invalid,  ///< a score is NaN: all weights are NaN
};

/// What one row's solution is made of, beside the weights [maths: 1.2].
struct EntmaxRow {
    RowState state = RowState::Ok;
    std::size_t support = 0;  ///< keys with 1 - (alpha-1)(s + d) > 0; at alpha = 1 all unmasked keys
    double threshold = 0;     ///< t = (alpha-1)A - 1; NaN at alpha = 1, in the argmax limits and where undefined
    double normalizer = 0;    ///< A; NaN where undefined
    double offset = 0;        ///< s = A - max(u) >= 0
    double residual = 0;      ///< sum of the returned weights - 1
};

/// Scratch memory of `entmax`, to be reused from row to row so that rows do not allocate.
struct EntmaxWorkspace {
    std::vector<double> gaps;
    std::vector<double> sorted;
};

/// p = argmax over the simplex of <p, z/T> + H_alpha(p), for one row.
/// scores, weights: length n >= 0, may not overlap. Solved in double for both element types.
/// Parameters must be `checked`. Cost: O(n) to O(n log n). Source: [P19], [S16], maths 1.4.
EntmaxRow entmax(std::span<const double> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace);
EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<float> weights,
                 EntmaxWorkspace& workspace);
EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace);

/// Scores whose entmax under `parameters` (alpha finite, T > 0) is `weights`, shifted so that the
/// largest is 0; -infinity where a weight is 0. maths 1.10.
void scoresFromWeights(std::span<const double> weights, EntmaxParameters parameters, std::span<double> scores);

/// -sum p ln p in nats, 0 ln 0 = 0; NaN when a weight is.
double shannonEntropy(std::span<const double> weights);

}  // namespace fovea
