// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include "core/session/evaluation.h"
#include "widgets/view_models/colour_map.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

/// How finely a matrix is rasterised.
struct RasterSize {
    int rows = 0;        ///< at most the queries; fewer: cells are pooled
    int columns = 0;     ///< at most the keys
    int cellPixels = 1;  ///< side of a cell in the raster; more than 1 only where nothing is pooled
    int hatchPitch = 4;  ///< of masked cells, in pixels of the raster

    bool operator==(const RasterSize&) const = default;
};

/// The raster that suits a device: one cell is `devicePixels` wide there. Vector files: the finest
/// that stays within 2048 pixels, so that viewers that smooth images leave the cells crisp.
RasterSize rasterFor(std::size_t queries, std::size_t keys, double devicePixels, double devicePixelsPerUnit);
RasterSize rasterForVectorFile(std::size_t queries, std::size_t keys, double cellUnits);

/// All cells as one image. Positive weights in viridis under `scale`, and three states that no colour
/// of viridis resembles: exact zero (theme.emptyCell), masked (a neutral shade, hatched where a cell is
/// large enough), not a number (theme.invalid; crossed where large enough). A pooled cell shows what
/// matters most: not a number, else the largest weight, else exact zero, else masked.
/// Cost: O(queries * keys + pixels).
QImage matrixRaster(const session::MatrixEvaluation& matrix, const WeightScale& scale, const Theme& theme,
                    const RasterSize& size);

/// The shade of masked cells that are too small for a hatch.
QColor maskedShade(const Theme& theme);

}  // namespace fovea::widgets
