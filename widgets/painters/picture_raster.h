// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QPainter>
#include <QTransform>
#include <memory>
#include <span>
#include <vector>

#include "core/session/evaluation.h"
#include "widgets/painters/picture_geometry.h"
#include "widgets/view_models/colour_map.h"
#include "widgets/view_models/theme.h"

namespace fovea::widgets {

/// Where a raster lies: pixel for pixel on the device where it is one, else at the resolution that suits
/// a file.
struct RasterPlace {
    QTransform toRaster;  ///< from the panel
    QSize size;
    QRectF target;        ///< in the panel

    /// For the part of the panel in `window`. Vector files: `vectorDotsPerUnit`.
    static RasterPlace on(const QPainter& painter, const QRectF& window, double vectorDotsPerUnit);
    /// True when the other raster has the same pixels, wherever it lies on the device.
    bool samePixels(const RasterPlace& other) const;
    void draw(QPainter& painter, const QImage& image) const;
};

bool paintsIntoVectorFile(const QPainter& painter);

/// A photograph at several sizes, so that a large one is reduced once and not for every frame.
class PhotoSource {
public:
    PhotoSource(std::shared_ptr<const image::PreparedPicture> photo, session::PictureFrame shown);
    bool shows(const image::PreparedPicture* photo, session::PictureFrame shown) const;
    /// Sides at most twice as fine as `scale` raster pixels a picture's pixel.
    const QImage& atScale(double scale) const;

private:
    std::shared_ptr<const image::PreparedPicture> photo_;  // owns the pixels
    session::PictureFrame shown_;
    mutable std::vector<QImage> levels_;  // halved each; painting happens in one thread
};

/// The picture darkened, so that heat reads on it, and darker where no patch is; a checker of the patches
/// where `source` is null.
QImage groundRaster(const PhotoSource* source, const PictureGeometry& geometry, const PatchGrid& grid,
                    const RasterPlace& place);

/// What a heat raster is made of; weights and states over all positions.
struct HeatContent {
    std::span<const double> weights;
    std::span<const session::WeightState> states;
    PatchGrid grid;
    session::HeatKind kind = session::HeatKind::Smooth;
};

/// Weights over their patches as premultiplied colours, more opaque for larger weights. Smooth: positions
/// on the colour scale, bilinear between the patches' centres. Patches whose weight is exactly 0 stay
/// fully transparent in either kind; masked ones are hatched, those that are not a number crossed.
/// Cost: O(pixels + patches).
QImage heatRaster(const HeatContent& content, const WeightScale& scale, const Theme& theme,
                  const PictureGeometry& geometry, const RasterPlace& place);

}  // namespace fovea::widgets
