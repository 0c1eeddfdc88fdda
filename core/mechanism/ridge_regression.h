// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include <Eigen/Core>

#include "core/support/result.h"

namespace fovea {

/// The part of a ridge regression that does not depend on the values: for a design F (J x P), whose first L
/// columns are tokens and the others padding of value 0, the rows of the tokens of
///
///     G = F' (F F' + rho I_J)^-1 = (F' F + rho I_P)^-1 F',
///
/// so that B = H G (D x J) minimises |B F - [H 0]|^2 + rho |B|^2 for values H (D x L). The smaller of the two
/// systems is solved by Cholesky's method; no inverse is formed. Relative error: about eps times the
/// condition of F F' + rho I. Cost: O(m^2 (J + P)) once with m = min(J, P), then O(D L J).
/// Source: [N20] sec. 3.
class RidgeRegression {
public:
    /// Errors, with the numbers: a penalty rho that is negative or not finite, a design without rows or
    /// tokens or with values that are not finite, squares beyond the range of double, a system that is
    /// singular to rounding (rho = 0, or tiny, and dependent rows). Precondition: `tokens` <= columns of F.
    static Result<RidgeRegression> fit(const Eigen::MatrixXd& design, double penalty, Eigen::Index tokens);

    /// G, L x J.
    const Eigen::MatrixXd& tokenMap() const { return tokenMap_; }
    Eigen::Index tokens() const { return tokenMap_.rows(); }
    Eigen::Index bases() const { return tokenMap_.cols(); }
    /// B = H G (D x J) of values H (D x L). Error: values of another number of tokens.
    Result<Eigen::MatrixXd> coefficients(const Eigen::MatrixXd& values) const;
    /// w = G r (L) for r_j = E[psi_j] (J): the context is H w. May be negative; need not sum to 1.
    Eigen::VectorXd tokenWeights(const Eigen::VectorXd& expectations) const;

private:
    explicit RidgeRegression(Eigen::MatrixXd tokenMap) : tokenMap_(std::move(tokenMap)) {}

    Eigen::MatrixXd tokenMap_;
};

}  // namespace fovea
