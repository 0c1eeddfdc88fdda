// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/continuous_2d.h"
#include "core/trace/patch_grid.h"

namespace fovea::session {

enum class PictureAxis { X, Y };

/// The distribution of one coordinate of a density over a picture. A beta-Gaussian of exponent e in two
/// dimensions has marginals of exponent e + 1/2, a Gaussian's are Gaussian; the variance is that entry of
/// the covariance. Student's t keeps its degrees of freedom. Errors: a covariance that is not finite; alpha
/// of at most 1/3, whose marginal has a tail that no density of one dimension here has. Cost O(1).
Result<Density1d> marginalOf(const Density2d& density, PictureAxis axis);

/// Sums of weights over all positions along an axis of `grid`: one value a column (X) or a row (Y).
/// Values that are not a number are left out.
std::vector<double> marginalWeights(std::span<const double> weights, const PatchGrid& grid, PictureAxis axis);

}  // namespace fovea::session
