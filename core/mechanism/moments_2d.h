// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include <Eigen/Core>

#include "core/mechanism/moments.h"

namespace fovea {

struct Moments2d {
    Eigen::Vector2d mean = Eigen::Vector2d::Zero();
    Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
};

/// Mean and covariance of weights over a grid, (rows, columns) in C order, of cells whose centres are
/// x = (column + 1/2)/columns, y = (row + 1/2)/rows; two passes, weights normalised by their sum first.
/// None as for the one-dimensional moments. Cost: O(rows columns).
std::optional<Moments2d> weightedMoments(std::span<const double> weights, std::size_t rows,
                                         std::size_t columns);

/// Cell: + diag(1/(12 columns^2), 1/(12 rows^2)); Clip: eigenvalues raised to 1/(12 max(rows, columns)^2).
Eigen::Matrix2d flooredCovariance(const Eigen::Matrix2d& covariance, std::size_t rows, std::size_t columns,
                                  VarianceFloor floor);
/// Eigenvalues raised to at least `bound`.
Eigen::Matrix2d clippedCovariance(const Eigen::Matrix2d& covariance, double bound);

}  // namespace fovea
