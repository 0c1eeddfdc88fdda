// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Eigen/Core>

#include "core/mechanism/linear_memory.h"

namespace fovea {

/// dL/d(everything) for a loss L of lookups R. What is not part of the input has no elements.
struct MemoryGradient {
    RowMatrixD states;           ///< dL/dH, n x k
    RowMatrixD queries;          ///< dL/dQ, m x k
    Eigen::MatrixXd gateWeight;  ///< dL/dW, k x k
    Eigen::VectorXd gateBias;    ///< dL/db, k
    Eigen::VectorXd decay;       ///< dL/da_t, n
    Eigen::VectorXd input;       ///< dL/db_t, n
};

/// Where earlier memories come from while time runs backwards; the gradient by the decay alone needs them.
enum class MemoryRecovery {
    /// Checkpoints where `inversionLosesDigits`, else Inversion.
    Automatic,
    /// C_s from C_t by undoing the tokens between, which divides by their decays. C is kept wherever those
    /// since the last that was kept multiply to less than 1e-3: O(k^2) memory, unless that is often.
    Inversion,
    /// C is kept every sqrt(n) tokens and walked again from there: O(sqrt(n) k^2) memory.
    Checkpoints,
};

/// Some decay is 0, or those of some stretch of tokens multiply to less than 1e-6.
bool inversionLosesDigits(const Eigen::VectorXd& decay);

/// Gradient of L given `upstream` = dL/dR (m x k). With M = G + G', G = sum_i (products of decays since)
/// g_i q_i' over the lookups at or after time t, the recursion runs from the last token to the first:
///
///     dL/df_t = b_t M f_t,  dL/db_t = f_t' M f_t / 2,  dL/da_t = <M, C_(t-1)> / 2,  M <- a_t M,
///
/// dL/dq_i = C g_i at the lookup's time, and through the gate, with sig = sigmoid(W h + b) and
/// du = dL/df * h * sig * (1 - sig): dL/dh = sig * dL/df + W' du, dL/dW = sum du h', dL/db = sum du.
/// Errors: those of `lookUp`, an upstream of another shape than R. Cost: O((n + m) k^2), memory beside the
/// arrays of the result as `recovery` says. Source: [B16] sec. 3-4.
Result<MemoryGradient> memoryGradient(const MemoryInput& input, const MemoryLookups& lookups,
                                      const RowMatrixD& upstream,
                                      MemoryRecovery recovery = MemoryRecovery::Automatic);

}  // namespace fovea
