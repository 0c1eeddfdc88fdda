// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "core/support/arrays.h"
#include "core/support/result.h"

namespace fovea {

/// A gate by element: f = sigmoid(W h + b) * h.
struct MemoryGate {
    Eigen::MatrixXd weight;  ///< W, k x k
    Eigen::VectorXd bias;    ///< b, k; may be infinite: a gate that is open or closed throughout
};

/// a_t and b_t of C_t = a_t C_{t-1} + b_t f_t f_t', one a token, any sign; none: 1 throughout.
struct MemoryRates {
    std::optional<Eigen::VectorXd> decay;  ///< a
    std::optional<Eigen::VectorXd> input;  ///< b
};

/// A sequence that is remembered.
struct MemoryInput {
    RowMatrixD states;  ///< H, n x k: row t is h_t
    std::optional<MemoryGate> gate;
    MemoryRates rates;
};

/// Questions to the memory of a sequence.
struct MemoryLookups {
    RowMatrixD queries;               ///< Q, m x k
    std::vector<Eigen::Index> times;  ///< after how many tokens, 0 to n, one a query; none: after the last
};

/// Says which shape or time does not fit, what was expected and found.
Result<void> checkMemory(const MemoryInput& input);
Result<void> checkLookups(const MemoryInput& input, const MemoryLookups& lookups);

/// F (n x k): f_t = h_t, or with a gate sigmoid(W h_t + b) * h_t. A gate of 1 gives exactly the states.
/// Precondition: shapes that fit. Cost: O(n k), gated O(n k^2).
RowMatrixD memoryFeatures(const RowMatrixD& states, const std::optional<MemoryGate>& gate);

/// What linear attention remembers of a sequence of any length: C_t = a_t C_{t-1} + b_t f_t f_t', k x k and
/// symmetric, C_0 = 0. A lookup C q = sum_s w_s f_s is attention without the softmax: its weights w (see
/// `memoryTokenWeights`) have any sign and any sum. Feeding a sequence in pieces gives the same as feeding
/// it whole, within rounding. Source: [B16].
class LinearMemory {
public:
    explicit LinearMemory(Eigen::Index width) : matrix_(Eigen::MatrixXd::Zero(width, width)) {}
    /// Goes on from a memory C that was kept; of the square matrix the lower half is read.
    explicit LinearMemory(Eigen::MatrixXd memory);

    Eigen::Index width() const { return matrix_.rows(); }
    /// One token's f (k) with its a and b. Cost: O(k^2), half of a full product.
    void appendToken(const Eigen::VectorXd& feature, double decay = 1, double input = 1);
    /// The next tokens, n x k, with rates of their number. Cost: O(n k^2) in products of blocks.
    void append(const Eigen::Ref<const RowMatrixD>& features, const MemoryRates& rates = {});
    /// C, both halves.
    Eigen::MatrixXd matrix() const { return matrix_.selfadjointView<Eigen::Lower>(); }
    /// The same without a copy: what lies above the diagonal has no meaning.
    const Eigen::MatrixXd& lowerHalf() const { return matrix_; }
    /// R = C q (k). Cost: O(k^2), whatever the number of tokens.
    Eigen::VectorXd lookup(const Eigen::VectorXd& query) const;
    /// R (m x k), row i = C q_i.
    RowMatrixD lookup(const RowMatrixD& queries) const;
    /// The same in float32, on the vector unit, for many queries at once: from C rounded to float, sums of k
    /// products.
    RowMatrixF lookup(const RowMatrixF& queries) const;

private:
    void appendBlock(const Eigen::Ref<const RowMatrixD>& features, const Eigen::VectorXd& decay,
                     const Eigen::VectorXd& input);

    Eigen::MatrixXd matrix_;  // the lower half alone is kept up
};

/// R (m x k) of lookups made at their times in one walk along the sequence. Errors: as `checkMemory` and
/// `checkLookups` say. Cost: O(n k^2 + m k^2), memory O(k^2) beside F.
Result<RowMatrixD> lookUp(const MemoryInput& input, const MemoryLookups& lookups);

/// The implied weights W (m x n) with R_i = sum_s W_is f_s:
///     W_is = (prod_{s<r<=t} a_r) b_s (f_s . q_i) for s <= t = the lookup's time, else 0.
/// `features` as `memoryFeatures` gives them. Precondition: shapes that fit. Cost: O(m n k).
RowMatrixD memoryTokenWeights(const RowMatrixD& features, const MemoryRates& rates,
                              const MemoryLookups& lookups);

/// Each row divided by the sum of its absolute values, for display beside weights of a softmax; a row of
/// zeros stays. The signs stay too.
RowMatrixD normalisedByMagnitude(const RowMatrixD& weights);

}  // namespace fovea
