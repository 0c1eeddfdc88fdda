// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/mechanism: what densities of one and two dimensions ask of their parameters.

#include <string>

#include "core/mechanism/continuous_1d.h"

namespace fovea {

/// What is wrong with `parameters`, in a sentence; empty when they are in their domain.
std::string parameterFault(DensityParameters parameters);

/// Closer to 1 than this the beta-Gaussian differs from the Gaussian by less than alpha - 1.
inline constexpr double gaussianBelow = 1e-6;

}  // namespace fovea
