// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/ridge_regression.h"

#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "core/support/precondition.h"

namespace fovea {

namespace {

using Cholesky = Eigen::LLT<Eigen::MatrixXd>;

Result<void> checkInput(const Eigen::MatrixXd& design, double penalty, Eigen::Index tokens) {
    if (!std::isfinite(penalty) || penalty < 0)
        return fail(fmt::format("expected a finite ridge penalty of at least 0, found {}", penalty));
    if (design.rows() == 0) return fail("a value function needs basis functions, found none");
    if (tokens == 0) return fail("a value function needs positions of tokens, found none");
    for (Eigen::Index l = 0; l < design.cols(); ++l) {
        for (Eigen::Index j = 0; j < design.rows(); ++j) {
            if (std::isfinite(design(j, l))) continue;
            return fail(fmt::format("basis function {} at position {}: expected a finite value, found {}", j,
                                    l, design(j, l)));
        }
    }
    return {};
}

// The factor of S + penalty I, of which the lower half of S is given.
Result<Cholesky> factorised(Eigen::MatrixXd system, double penalty) {
    system.diagonal().array() += penalty;
    const Eigen::Index size = system.rows();
    if (!system.allFinite()) {
        return fail(fmt::format("the squares of basis functions leave the range of double: largest diagonal "
                                "entry {}", system.diagonal().maxCoeff()));
    }
    const Cholesky cholesky(system);
    const double condition = cholesky.info() == Eigen::Success ? cholesky.rcond() : 0;
    if (condition > static_cast<double>(size) * std::numeric_limits<double>::epsilon()) return cholesky;
    return fail(fmt::format("the {0} x {0} system of the regression is singular to rounding (reciprocal "
                            "condition {1:.2g}): a ridge penalty above {2} is needed",
                            size, condition, penalty));
}

}  // namespace

Result<RidgeRegression> RidgeRegression::fit(const Eigen::MatrixXd& design, double penalty,
                                             Eigen::Index tokens) {
    require(tokens >= 0 && tokens <= design.cols(), "no more tokens than columns of the design");
    if (auto valid = checkInput(design, penalty, tokens); !valid) return std::unexpected(valid.error());
    const bool overBases = design.rows() <= design.cols();
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(overBases ? design.rows() : design.cols(),
                                                   overBases ? design.rows() : design.cols());
    auto lower = system.selfadjointView<Eigen::Lower>();
    if (overBases) {
        lower.rankUpdate(design);
    } else {
        lower.rankUpdate(design.transpose());
    }
    const auto cholesky = factorised(std::move(system), penalty);
    if (!cholesky) return std::unexpected(cholesky.error());
    if (overBases) return RidgeRegression(cholesky->solve(design.leftCols(tokens)).transpose());
    return RidgeRegression(cholesky->solve(design.transpose()).topRows(tokens));
}

Result<Eigen::MatrixXd> RidgeRegression::coefficients(const Eigen::MatrixXd& values) const {
    if (values.cols() != tokens()) {
        return fail(fmt::format("expected values of {} tokens, found shape [{}, {}]", tokens(), values.rows(),
                                values.cols()));
    }
    return values * tokenMap_;
}

Eigen::VectorXd RidgeRegression::tokenWeights(const Eigen::VectorXd& expectations) const {
    require(expectations.size() == bases(), "one expectation for each basis function");
    return tokenMap_ * expectations;
}

}  // namespace fovea
