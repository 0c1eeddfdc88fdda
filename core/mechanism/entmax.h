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
    double temperature = 1.0;  ///< >= 0; 0 is the argmax, infinity uniform

    bool operator==(const EntmaxParameters&) const = default;
};

/// Scores at or below this count as masked, as does -infinity.
inline constexpr double maskedScore = -1e30;

/// `parameters` when they are in their domain; else what was found and what is allowed.
Result<EntmaxParameters> checked(EntmaxParameters parameters);

enum class RowState {
    Ok,
    Empty,    ///< every key is masked, or there is none: all weights are 0
    Invalid,  ///< a score is NaN: all weights are NaN
};

/// What one row's solution is made of, beside the weights. With u = z/T and d = max(u) - u,
///     p_i = [(alpha-1) u_i - t]_+^e = [1 + (alpha-1)(u_i - A)]_+^e = [1 - (alpha-1)(s + d_i)]_+^e,
/// e = 1/(alpha-1); at alpha = 1, p_i = exp(u_i - A). Only s does not move with a constant added
/// to the scores. Numbers of rows that are not Ok are NaN (residual: 0). Source: [P19] sec. 3.
struct EntmaxRow {
    RowState state = RowState::Ok;
    std::size_t support = 0;  ///< keys with 1 - (alpha-1)(s + d) > 0; at alpha = 1 all unmasked keys
    double threshold = 0;     ///< t = (alpha-1)A - 1; NaN at alpha = 1, in the argmax limits, without A
    double normalizer = 0;    ///< A; NaN where undefined (T = 0, an infinite score, overflow of z/T)
    double offset = 0;        ///< s = A - max(u) >= 0; in the argmax limits that of the tied scores alone
    double residual = 0;      ///< sum of the returned weights - 1
};

/// Scratch memory of `entmax`, to be reused from row to row so that rows do not allocate.
struct EntmaxWorkspace {
    std::vector<double> values;
    std::vector<double> candidates;
};

/// p = argmax over the simplex of <p, z/T> + H_alpha(p), for one row, where H_alpha(p) =
/// sum_i (p_i - p_i^alpha)/(alpha(alpha-1)), at alpha = 1 Shannon's entropy.
/// scores, weights: length n >= 0; they may be the same memory, not overlap else. Solved in double for all element types.
/// Masked keys get exactly 0; tied maxima share equally at T = 0 and at alpha = infinity; scores of
/// +infinity share equally at every alpha; T = infinity gives the uniform weights.
/// Parameters must be `checked` (T = infinity is allowed here, as a limit).
/// Cost: O(n) for alpha <= 2, O(n + k log n) for support k otherwise, times the price of a power.
/// Source: [P19], [S16], [C19].
EntmaxRow entmax(std::span<const double> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace);
EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<float> weights,
                 EntmaxWorkspace& workspace);
EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace);

/// Scores whose entmax under `parameters` (alpha finite, T > 0) is `weights`, shifted so that the
/// largest is 0: T ln(p/p_max) at alpha = 1, T (p^(alpha-1) - p_max^(alpha-1))/(alpha-1) above;
/// -infinity where a weight is 0 (the score is then unknown, at alpha > 1 at most
/// -T p_max^(alpha-1)/(alpha-1)); NaN where a weight is NaN or negative. Equal lengths.
void scoresFromWeights(std::span<const double> weights, EntmaxParameters parameters,
                       std::span<double> scores);

/// -sum p ln p in nats, 0 ln 0 = 0; NaN when a weight is.
double shannonEntropy(std::span<const double> weights);

}  // namespace fovea
