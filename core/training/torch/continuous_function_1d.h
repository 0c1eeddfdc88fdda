// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/moments.h"
#include "core/mechanism/radial_basis.h"

namespace fovea::training {

/// What continuous attention on the line does not learn.
struct ContinuousAttention1d {
    std::vector<RadialBasis1d> basis;  ///< J functions
    /// G of the ridge regression: (L, J), the same for all rows, or (batch, L, J). Floating; a constant.
    at::Tensor valueWeights;
    DensityParameters density;
    /// What a row's spread is: `Moments`, the variance of its density at temperature 1; `Paper`, its
    /// scale sigma^2.
    MomentMatching matching = MomentMatching::Moments;
};

/// r (batch, J) in double: r_bj = E_p[psi_j] under the density of row b, which LibTorch differentiates by
/// mean and spread (`expectations`: no singular weights, from the same nodes as the values).
/// mean, spread: (batch), floating, on the CPU; spread > 0. Only `basis`, `density` and `matching` of
///     `attention` are used.
/// LibTorch's threads share the rows; the result does not depend on their number.
/// Throws c10::Error with what was expected and what was found: shapes, types, alpha or temperature out of
/// range, a spread that is not above 0 (with its row). Second derivatives are not offered.
at::Tensor basisExpectations1d(const at::Tensor& mean, const at::Tensor& spread,
                               const ContinuousAttention1d& attention);

/// Contexts (batch, D) of continuous attention with its value function, c_b = H_b^T (G r_b): the expectation
/// of the function that ridge regression puts through the values. Differentiable by mean, spread and values.
/// values: H, (batch, L, D), or (L, D) shared by all rows; floating. The result has their type; everything
///     is computed in double.
/// mask: bool (batch, L), true at real tokens; the value function is 0 at the others, whose values and
///     gradients do not count. Undefined: all are real.
/// Errors as above. Cost: O(batch (J expectations + L J + L D)). Source: [N20] sec. 3.
at::Tensor continuousContext1d(const at::Tensor& mean, const at::Tensor& spread, const at::Tensor& values,
                               const ContinuousAttention1d& attention, const at::Tensor& mask = {});

struct TensorMoments1d {
    at::Tensor mean;      ///< (batch), double
    at::Tensor variance;  ///< (batch), double, after the floor
};

/// How weights over tokens become moments.
struct WeightMoments1d {
    Positions positions = Positions::Midpoint;
    VarianceFloor floor = VarianceFloor::Cell;
};

/// Moments of discrete weights (batch, L) >= 0, which are normalised by their sum, differentiable by the
/// weights; those outside `mask` do not count. Token l of `length` stands at position(l, length, positions),
/// where `length` is L, or, if `ownLattice`, the row's number of real tokens, and l counts those alone. A row
/// without weight has moments (1/2, 1) and no gradient.
/// Throws c10::Error: shapes, types, weights that are negative or not finite (with their row).
TensorMoments1d weightedMoments1d(const at::Tensor& weights, const at::Tensor& mask, WeightMoments1d options,
                                  bool ownLattice = false);

/// Contexts (batch, D) from discrete weights (batch, L), of softmax or entmax say: their moments, the density
/// that has them, and its context, differentiable by weights and values. Value weights (L, J) belong to one
/// lattice of L positions, on which padding is empty room; value weights (batch, L, J) belong to lattices of
/// the rows' own. A row without weight has a context of 0 and no gradient.
at::Tensor continuousContextOfWeights1d(const at::Tensor& weights, const at::Tensor& mask,
                                        const at::Tensor& values, const ContinuousAttention1d& attention,
                                        WeightMoments1d options = {});

}  // namespace fovea::training
