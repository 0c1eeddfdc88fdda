// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/radial_basis.h"

namespace fovea::training {

/// What continuous attention on the plane does not learn.
struct ContinuousAttention2d {
    std::vector<RadialBasis2d> basis;  ///< J functions
    /// G of the ridge regression: (L, J), the same for all rows, or (batch, L, J). Floating; a
    /// constant.
    at::Tensor valueWeights;
    DensityParameters density;
    /// What a row's matrix is: `Moments`, the covariance of its density at temperature 1; `Paper`, its
    /// scale Sigma.
    MomentMatching matching = MomentMatching::Moments;
};

/// r (batch, J) in double: r_bj = E_p[psi_j] under the density of row b, which LibTorch differentiates by
/// mean and matrix (`expectations`: no singular weights, from the same nodes as the values).
/// mean: (batch, 2), x and y; matrix: (batch, 2, 2), symmetric positive definite; floating, on the CPU. The
///     gradient G by the matrix is symmetric, dE = sum_ij G_ij dM_ij. Only `basis`, `density` and
///     `matching` of `attention` are used.
/// LibTorch's threads share the rows; the result does not depend on their number.
/// Throws c10::Error with what was expected and what was found: shapes, types, alpha or temperature out of
/// range, a matrix that is not positive definite (its row, determinant and eigenvalues). Second
/// derivatives are not offered.
at::Tensor basisExpectations2d(const at::Tensor& mean, const at::Tensor& matrix,
                               const ContinuousAttention2d& attention);

/// Contexts (batch, D) of continuous attention with its value function, c_b = H_b^T (G r_b): the expectation
/// of the function that ridge regression puts through the values. Differentiable by mean, matrix and values.
/// values: H, (batch, L, D), or (L, D) shared by all rows; floating. The result has their type; everything
///     is computed in double.
/// mask: bool (batch, L), true at real positions; the value function is 0 at the others, whose values and
///     gradients do not count. Undefined: all are real.
/// Errors as above. Cost: O(batch (J expectations + L J + L D)). Source: [N20] sec. 3.
at::Tensor continuousContext2d(const at::Tensor& mean, const at::Tensor& matrix, const at::Tensor& values,
                               const ContinuousAttention2d& attention, const at::Tensor& mask = {});

/// A grid of cells in C order, whose centres are x = (column + 1/2)/columns, y = (row + 1/2)/rows.
struct GridShape {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
};

struct TensorMoments2d {
    at::Tensor mean;        ///< (batch, 2), double
    at::Tensor covariance;  ///< (batch, 2, 2), double, with the floor of a cell
};

/// Moments of discrete weights (batch, rows columns) >= 0 over a grid, which are normalised by their sum,
/// differentiable by the weights; those outside `mask` do not count. The variance of a weight spread over
/// its cell is added, diag(1/(12 columns^2), 1/(12 rows^2)). A row without weight has moments
/// ((1/2, 1/2), identity) and no gradient.
/// Throws c10::Error: shapes, types, weights that are negative or not finite (with their row).
TensorMoments2d weightedMoments2d(const at::Tensor& weights, const at::Tensor& mask, GridShape grid);

/// Contexts (batch, D) from discrete weights (batch, L), L = rows columns, of softmax or entmax say: their
/// moments, the density that has them, and its context, differentiable by weights and values. A row without
/// weight has a context of 0 and no gradient.
at::Tensor continuousContextOfWeights2d(const at::Tensor& weights, const at::Tensor& mask,
                                        const at::Tensor& values, const ContinuousAttention2d& attention,
                                        GridShape grid);

}  // namespace fovea::training
