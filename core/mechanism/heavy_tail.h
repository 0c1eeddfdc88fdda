// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/mechanism and its tests: the densities below alpha = 1, in one dimension
//     p(z) = C (1 + z^2)^(-k),  k = 1/(1-alpha),  C = Gamma(k)/(Gamma(k-1/2) sqrt(pi)),
// Student's t with nu = 2k - 1 degrees of freedom in units of sqrt(nu): z = t/sqrt(nu). Nothing
// forms Gamma or a power of nu, so that all of it joins the Gaussian as k grows.
namespace fovea::heavy_tail {

/// ln C, for k > 1/2.
double logConstant(double k);

/// P(Z > h), h >= 0 (1/2 below), k > 1/2. Relative accuracy, however small it is.
double upperTail(double h, double k);

/// P(|Z| <= h), h >= 0, k > 1/2. Relative accuracy.
double centralMass(double h, double k);

/// The h with centralMass(h, k) = mass, 0 <= mass <= 1; infinity at 1.
double centralQuantile(double mass, double k);

/// E[ln(1 + Z^2)], for k > 1/2.
double meanLogarithm(double k);

}  // namespace fovea::heavy_tail
