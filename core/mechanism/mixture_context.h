// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include <Eigen/Core>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/mixture.h"
#include "core/mechanism/radial_basis.h"
#include "core/support/result.h"

namespace fovea {

/// Multimodal continuous attention: the density p(x) = sum_k pi_k p_k(x), whose components are Gaussians as in
/// [F21] or, for other alpha, the densities of alpha that have the same means and covariances
/// (`MomentMatching::Moments`), a choice of this project. All of it is linear in the components: so are
/// expectations, and with them the context c = B E_p[psi] of a value function.
template <int dimension>
class DensityMixture {
    static_assert(dimension == 1 || dimension == 2);

public:
    using Density = std::conditional_t<dimension == 1, Density1d, Density2d>;
    using Basis = std::conditional_t<dimension == 1, RadialBasis1d, RadialBasis2d>;
    using Place = std::conditional_t<dimension == 1, double, Eigen::Vector2d>;

    /// Refuses, with the number of the component, what its density refuses (a covariance that is not positive
    /// definite, alpha out of range); no components; weights that are negative or do not sum to 1 within
    /// 1e-9.
    static Result<DensityMixture> from(std::span<const MixtureComponent<dimension>> components,
                                       DensityParameters parameters);

    const std::vector<double>& weights() const { return weights_; }
    const std::vector<Density>& densities() const { return densities_; }
    /// sum_k pi_k p_k(x).
    double operator()(const Place& x) const;
    /// sum_k pi_k times the component's mass outside of the unit interval or square.
    double massOutsideUnit() const;
    /// E_{p_k}[psi_j], J x K: a column a component. Cost: that of K `expectations`.
    Eigen::MatrixXd componentExpectations(std::span<const Basis> bases) const;
    /// r_j = E_p[psi_j] = sum_k pi_k E_{p_k}[psi_j], for `ValueFunction::context`. Its derivative by pi_k
    /// is that column of `componentExpectations`.
    Eigen::VectorXd expectations(std::span<const Basis> bases) const;

private:
    DensityMixture() = default;

    std::vector<double> weights_;
    std::vector<Density> densities_;
};

using DensityMixture1d = DensityMixture<1>;
using DensityMixture2d = DensityMixture<2>;

}  // namespace fovea
