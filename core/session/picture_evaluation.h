// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/mechanism/continuous_2d.h"
#include "core/session/mechanism_choice.h"
#include "core/support/result.h"
#include "core/trace/patch_grid.h"

namespace fovea::session {

/// One density over a picture. Lengths as shares of the patch grid's sides: the grid is the unit
/// square, x right, y down; the patch at (row, column) stands at ((column + 1/2)/columns, (row + 1/2)/rows).
struct EllipseEvaluation {
    double weight = 1;   ///< of this component; 1 for a single density
    Density2d density;
    bool bounded =
        false;  ///< true: `border` is the border of the support; false: of the region of `borderMass`
    Ellipse border;
    double borderMass = 1;   ///< 1 for a support, 0.9 for a Gaussian's region
    Ellipse half;            ///< region of half the mass
    double massOutside = 0;  ///< beyond the picture
};

/// What a row of weights is over the patches of a picture.
struct PictureEvaluation {
    PatchGrid grid;
    double patchMass = 0;   ///< sum of the weights on patches
    double prefixMass = 0;  ///< on all other positions
    /// Of the patches' weights: none in the discrete domain or where no patch has weight; one in the
    /// continuous domain; one a component, heaviest first, in a mixture.
    std::vector<EllipseEvaluation> ellipses;
    double logLikelihood = 0;  ///< mixture only
};

/// `weights` over all positions, with `grid` among them, seen through `mechanism`. Errors: a covariance
/// that is not positive definite where no floor was chosen, parameters out of range.
Result<PictureEvaluation> evaluatePicture(std::span<const double> weights, const PatchGrid& grid,
                                          const MechanismChoice& mechanism);

/// The density's mass on each cell of a grid, (rows, columns) in C order.
std::vector<double> massOfPatches(const Density2d& density, std::size_t rows, std::size_t columns);

}  // namespace fovea::session
