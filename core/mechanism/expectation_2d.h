// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include <Eigen/Core>

#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/radial_basis.h"

namespace fovea {

/// E_p[psi] under a density p, and its derivatives, all from the same nodes. Derivatives by a symmetric
/// matrix M are symmetric, dE = sum_ij G_ij dM_ij: that by the single parameter M_12 = M_21 is 2 G_12.
struct Expectation2d {
    double value = 0;
    /// E_p[grad psi].
    Eigen::Vector2d byMean = Eigen::Vector2d::Zero();
    /// By the scale T = temperature Sigma; by Sigma it is temperature times as much. NaN where no
    /// scale is distinguished (matched moments at infinite alpha).
    Eigen::Matrix2d byScale = Eigen::Matrix2d::Zero();
    /// By the density's own covariance V: (1/2) E_{p+}[Hess psi], where p+ has the exponent e + 1. NaN where
    /// the covariance is infinite (alpha <= 1/2). From moments that were matched under a temperature, the
    /// derivative by the weights' covariance is temperature^(1/alpha) times as much.
    Eigen::Matrix2d byCovariance = Eigen::Matrix2d::Zero();
    /// By the logarithm of the temperature, Sigma (or the matched covariance) fixed; 0 at infinite alpha.
    double byLogTemperature = 0;
};

/// The expectations of `bases`, written to as many `results`. Methods:
/// - Gaussian: N(mean; centre, T + covariance), the convolution;
/// - alpha > 1, psi not narrow beside the density: the polar rule, a Gauss-Jacobi rule of n ellipses with
///   the exponent e, each of 2n angles (2 pi is not counted beside 0). With k the larger semi-axis of the
///   support over the deviation of psi (along the direction in which that is largest), m the distance of
///   the centres in that deviation, b = k (3/(e + 3))^(1/2): n = 8, 12, 16, 24, 32 for b (m + b/2) up to
///   0.4, 1.4, 4, 10, 22, where e > 8 for b^2 up to 14 only;
/// - alpha > 1, all other: one integral over another, each of at most 64 nodes, on the part of the support
///   that psi reaches, with the density's exponent at its border (Gauss-Legendre for alpha < 1.125);
/// - alpha < 1: Student's t is a mixture of Gaussians whose precision has a gamma distribution; the sum
///   over it (trapezoids in its logarithm) of the convolution above.
/// Error, beside what rounding of the arguments makes: 1e-12 of the value, for any widths and distances for
/// which the value is above 1e-300; of a derivative 1e-11 of the expectation of its absolute value. The
/// result turns with mean, scale and bases.
/// Cost a basis: 128 to 2048 exponentials by the polar rule, at most 4096 by the other (8192 for alpha
/// < 1.125), 50 to 600 for alpha < 1; no allocation per basis. Safe to call from many threads. Source:
/// [N20] sec. 3, [J22].
void expectations(const Density2d& density, std::span<const RadialBasis2d> bases,
                  std::span<Expectation2d> results);

Expectation2d expectation(const Density2d& density, const RadialBasis2d& basis);

}  // namespace fovea
