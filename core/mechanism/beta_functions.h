// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/mechanism and its tests: the special functions of symmetric beta densities
// (1 - y^2)^e / B(1/2, e+1) on [-1, 1], and their Gaussian limit. e >= 0 unless more is said. None
// of them forms Gamma or its logarithm, which overflow or cancel for large e.
namespace fovea::beta_functions {

/// ln(Gamma(x + 1/2)/Gamma(x)), x > 0, to a few ulp of max(1, |result|).
double logGammaHalfStep(double x);

/// digamma(x + 1/2) - digamma(x), x > 0: the derivative of logGammaHalfStep.
double digammaHalfStep(double x);

/// P(|Y| <= h) = I_{h^2}(1/2, e+1), 0 <= h <= 1. Relative accuracy.
double centralMass(double h, double e);

/// P(Y > h) = I_{1-h^2}(e+1, 1/2)/2, 0 <= h <= 1. Relative accuracy, however small it is.
double upperTail(double h, double e);

/// h in [0, 1] together with 1 - h^2, for callers that know it better than by subtracting.
struct Place {
    double h;
    double rest;     ///< 1 - h^2
    double logRest;  ///< its logarithm
};

/// The same two for such a place, e > -1.
double centralMass(const Place& place, double e);
double upperTail(const Place& place, double e);

/// The h with centralMass(h, e) = mass, 0 <= mass <= 1.
double centralQuantile(double mass, double e);

/// The inverse of erf on [0, 1]; infinity at 1.
double inverseErf(double mass);

}  // namespace fovea::beta_functions
