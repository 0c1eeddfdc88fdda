// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/mechanism/entmax.h"

namespace fovea {

/// One row of scores z with the weights p that `entmax` gave it: where derivatives are taken. Equal lengths.
template <class T>
struct EntmaxPoint {
    std::span<const T> scores;
    std::span<const T> weights;
    EntmaxParameters parameters;  ///< those of `weights`
};

/// Derivatives of one row by its two parameters.
struct EntmaxParameterGradient {
    double alpha = 0;
    double temperature = 0;
};

// With s_i = p_i^(2-alpha) on the support and 0 elsewhere, w = s/sum s, the derivatives of p are
//     J = dp/dz = (diag(s) - s s'/sum s)/T,   (J v)_i = s_i (v_i - <w, v>)/T,
//     dp/dalpha = -T J rho,  rho_i = L_i^2 chi((alpha-1) L_i),  L = ln p,  chi(x) = (1 - e^x + x e^x)/x^2,
//     dp/dT = -J (z/T),
// so that all are one product. It is formed from the differences to the entry k of the largest s,
//     v_i - <w, v> = (v_i - v_k) + <w, v_k - v>,
// and keeps its digits where s_k is larger than all other s together (alpha > 2, a small weight).
//
// A weight above 0 is the support: the solver compares with the threshold and not with 0. (Near alpha = 1
// supported weights may underflow to 0; they would add less than 1e-290.) At a tie with the threshold, where
// p has a kink, the derivative is the one from outside. Masked entries have derivative 0, and what a
// direction holds off the support is not read, be it NaN.
// Rows without a derivative: 0 where every key is masked or none is there; NaN where a score is NaN; 0 for
// the limits T = 0, T = infinity, alpha = infinity and rows with a score of +infinity (p is constant around
// them, away from ties). Lengths must be equal and parameters `checked`; outputs may not overlap inputs.
// Computed in double for both element types. Errors: a few eps max(s) max|v|/T beside those of the weights
// themselves. Nothing is allocated. Cost: O(n), two powers for each supported entry.
// Source: [P19], [C19] sec. 3.

/// product = J direction. J is symmetric: the product with its transpose, too.
void entmaxJacobianProduct(const EntmaxPoint<double>& point, std::span<const double> direction,
                           std::span<double> product);
void entmaxJacobianProduct(const EntmaxPoint<float>& point, std::span<const float> direction,
                           std::span<float> product);

/// derivative = dp/dalpha, at alpha = 1 from the right; continuous into it.
void entmaxByAlpha(const EntmaxPoint<double>& point, std::span<double> derivative);
void entmaxByAlpha(const EntmaxPoint<float>& point, std::span<float> derivative);

/// derivative = dp/dT.
void entmaxByTemperature(const EntmaxPoint<double>& point, std::span<double> derivative);
void entmaxByTemperature(const EntmaxPoint<float>& point, std::span<float> derivative);

/// From upstream = dl/dp, the derivatives of l by scores (written: J upstream) and parameters (returned:
/// <upstream, dp/dalpha> and <upstream, dp/dT>).
EntmaxParameterGradient entmaxGradient(const EntmaxPoint<double>& point, std::span<const double> upstream,
                                       std::span<double> gradient);
EntmaxParameterGradient entmaxGradient(const EntmaxPoint<float>& point, std::span<const float> upstream,
                                       std::span<float> gradient);

}  // namespace fovea
