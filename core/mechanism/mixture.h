// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/support/result.h"

namespace fovea {

/// One Gaussian component over 1D or 2D positions.
template <int dimension>
struct MixtureComponent {
    using Vector = Eigen::Matrix<double, dimension, 1>;
    using Matrix = Eigen::Matrix<double, dimension, dimension>;
    double weight = 1;  ///< pi; all of them sum to 1
    Vector mean = Vector::Zero();
    Matrix covariance = Matrix::Identity();
};

/// More components than a reader tells apart.
inline constexpr int mostComponents = 8;

/// How many components a mixture gets.
enum class ComponentChoice {
    Fixed,              ///< `components`
    DescriptionLength,  ///< minimises 5 K - 2 LL over K = 1..components [F21]
    Bic,                ///< minimises -2 n_eff LL + P ln n_eff, n_eff = 1/sum w^2 (Kish)
};

struct MixtureOptions {
    ComponentChoice choice = ComponentChoice::Fixed;
    std::size_t components = 2;     ///< K, or the largest K that is tried; 1 to mostComponents
    std::size_t iterations = 200;   ///< at most; EM ends when LL no longer rises
    double covarianceFloor = 1e-6;  ///< eps: added to every covariance as eps I after each step

    bool operator==(const MixtureOptions&) const = default;
};

/// `options` when they are in their domain; else what was found and what is allowed.
Result<MixtureOptions> checked(MixtureOptions options);

template <int dimension>
struct MixtureFit {
    std::vector<MixtureComponent<dimension>> components;  ///< heaviest first
    double logLikelihood = 0;  ///< sum_l w_l ln sum_k pi_k N(x_l; mu_k, S_k), weights summing to 1
    double criterion = 0;      ///< of the choice; for Fixed the description length
    std::size_t iterations = 0;
};

/// One EM step in place: responsibilities by log-sum-exp, then the weighted M-step; a component whose
/// weight falls below 1e-8 is dropped. `weights` sum to 1; `positions` as many. Returns LL before it.
template <int dimension>
double expectationMaximisationStep(std::span<const double> weights,
                                   std::span<const Eigen::Matrix<double, dimension, 1>> positions,
                                   double covarianceFloor,
                                   std::vector<MixtureComponent<dimension>>& components);

/// A mixture of Gaussians fitted to weights at positions by weighted EM [F21], deterministic: first
/// centre the position of the largest weight, then argmax_l w_l min_k |x_l - mu_k|^2; pi = 1/K, S = V/K.
/// Weights are normalised first. A chosen K stops at the number of positions with weight; a fixed one above
/// it is an error, with both numbers. Other errors: weights without moments, options out of range.
/// Cost: O(positions K) a step.
template <int dimension>
Result<MixtureFit<dimension>> fitMixture(std::span<const double> weights,
                                         std::span<const Eigen::Matrix<double, dimension, 1>> positions,
                                         const MixtureOptions& options);

/// Mean and covariance of all components together; weight 1. Precondition: there are components.
template <int dimension>
MixtureComponent<dimension> wholeOf(std::span<const MixtureComponent<dimension>> components);

/// 5 K - 2 LL, and -2 n_eff LL + P ln n_eff with P = K - 1 + K (N + N(N+1)/2).
double descriptionLength(std::size_t components, double logLikelihood);
double bayesianCriterion(std::size_t components, int dimension, double logLikelihood, double effectiveCount);

}  // namespace fovea
