// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/moments.h"
#include "core/mechanism/radial_basis.h"

namespace fovea {

/// E_p[psi] under a density p, and its derivatives, all from the same nodes.
struct Expectation1d {
    double value = 0;
    /// By the mean: E_p[psi'].
    double byMean = 0;
    /// By the logarithm of the density's length a, to which all other lengths are proportional:
    /// E_p[(x - mean) psi']. The derivatives below are multiples of it, since a is proportional to
    /// (temperature sigma^2)^(1/(alpha+1)) and to variance^(1/2).
    double byLogLength = 0;
    /// By the scale sigma^2 before the temperature, the temperature fixed; 0 at infinite alpha.
    double byScale = 0;
    /// By the temperature, sigma^2 (or the matched variance) fixed; 0 at infinite alpha.
    double byTemperature = 0;
    /// By the density's own variance V; NaN where that is infinite (alpha <= 1/3). From moments that
    /// were matched under a temperature, the derivative by the weights' variance is
    /// byLogLength/(2 variance).
    double byVariance = 0;
};

/// The expectations of `bases`, written to as many `results`. Methods:
/// - Gaussian: N(mean; centre, T + deviation^2), the convolution;
/// - alpha = 2 and infinity, deviation <= a and centre within the support: normal integrals;
/// - other alpha > 1: a Gauss-Jacobi rule of 64 nodes on the part of the support that psi reaches, with
///   the density's exponent at an end of the support (Gauss-Legendre for alpha < 1.125). Absolute error
///   at most 1e-12 psi.peak() for a/deviation from 0.01 to 300, and 1e-11 of the value where that
///   exceeds 1e-10 psi.peak(). byMean and byLogLength/a: likewise with psi.peak()/deviation;
/// - alpha < 1: Student's t is a mixture of Gaussians whose precision has a gamma distribution; the sum
///   over it (trapezoids in its logarithm) of the convolution above. Relative error 1e-13.
/// Cost: about 64 exponentials a basis, a few hundred for alpha < 1; no allocation per basis. Safe to
/// call from many threads. Source: [N20] sec. 3, [J22].
void expectations(const Density1d& density, std::span<const RadialBasis1d> bases,
                  std::span<Expectation1d> results);

Expectation1d expectation(const Density1d& density, const RadialBasis1d& basis);

/// Through the moments of `weights` (weightedMoments, then flooredVariance) to the weights themselves:
///     byWeight_l = byMean (t_l - m)/W + byVariance ((t_l - m)^2 - V)/W,  W = sum of the weights,
/// where byMean and byVariance are derivatives by the mean and the floored variance. A variance that
/// the floor Clip raised is constant. The gradient is orthogonal to the weights, since their sum does
/// not matter. 0 everywhere when the weights have no moments.
void gradientByWeights(std::span<const double> weights, Positions positions, VarianceFloor floor,
                       double byMean, double byVariance, std::span<double> byWeight);

}  // namespace fovea
