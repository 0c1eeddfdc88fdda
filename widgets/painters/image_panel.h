// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <memory>

#include "widgets/painters/picture_geometry.h"
#include "widgets/painters/picture_raster.h"
#include "widgets/painters/position_strip.h"

namespace fovea::widgets {

class PictureLines;

/// What a query looks at, on the picture: weights as heat over their patches, densities as ellipses, the
/// query's patch outlined; positions that are no patches as chips above. Files show all of the picture
/// unless a lens is set.
class ImagePanel final : public PanelPainter {
public:
    /// `picture` has a row and a trace with a grid that fit each other.
    ImagePanel(PanelPicture picture, Theme theme);
    ~ImagePanel() override;

    /// Which part is shown; takes effect with the next layout.
    void setLens(const PictureLens& lens) { wanted_ = lens; }
    /// Height of the view, which the body then fills; 0 (files): as high as the picture wants.
    void setRoom(double height) { roomHeight_ = height; }
    /// Keeps the rasters of the picture that was shown before, where they are still right.
    void adopt(const PanelPainter& previous);
    const PictureGeometry& geometry() const { return geometry_; }
    /// A lens that has the position in sight, as near to the present one as can be.
    PictureLens showing(std::size_t position) const;
    bool overPicture(QPointF point) const { return geometry_.window().contains(point); }

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    /// The key is the patch or the chip under the point; the query is the panel's own.
    PanelHit hit(QPointF point) const override;
    /// Of a patch what is seen of it, of other positions their chip.
    QRectF boxOf(std::size_t index) const override;
    void setHover(std::optional<PanelHit> hover) override;

private:
    struct Rasters;
    bool showsHeatOf(const ImagePanel& other) const;
    void paintRasters(QPainter& painter) const;
    void paintFrame(const PictureLines& lines) const;
    void paintGrid(const PictureLines& lines) const;
    void paintQueries(const PictureLines& lines) const;
    void paintNote(const Ink& ink) const;
    QRectF patchOf(std::size_t position) const;

    PanelPicture picture_;
    Theme theme_;
    PanelFonts fonts_;
    WeightScale scale_;
    PatchGrid grid_;
    PositionStrip strip_;
    PictureSurface surface_;
    PictureLens wanted_;
    PictureGeometry geometry_;
    QRectF lineBox_;  ///< where lines may be drawn
    QRectF noteBox_;
    double roomHeight_ = 0;
    std::unique_ptr<Rasters> rasters_;
};

}  // namespace fovea::widgets
