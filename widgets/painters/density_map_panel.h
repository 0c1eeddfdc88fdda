// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>

#include "widgets/painters/panel_painter.h"
#include "widgets/painters/picture_geometry.h"
#include "widgets/painters/plot_axis.h"

namespace fovea::widgets {

class PictureLines;

/// The density over a picture's unit square as a field of colours, with the weights it came from as dots
/// (area by weight), the lines of the image view, and the marginals along both axes in patches. Without a
/// density: the dots and the marginals of the weights.
class DensityMapPanel final : public PanelPainter {
public:
    /// `picture` has a row with a picture's evaluation and a trace with a grid that fit each other.
    DensityMapPanel(PanelPicture picture, Theme theme);

    double layout(double width) override;
    void paint(QPainter& painter, const QRectF& visible) const override;
    PanelHit hit(QPointF point) const override;
    QRectF boxOf(std::size_t index) const override;
    const PictureGeometry& geometry() const { return geometry_; }

private:
    const std::vector<session::EllipseEvaluation>& ellipses() const {
        return picture_.row->picture->ellipses;
    }
    void paintField(QPainter& painter) const;
    void paintDots(const PictureLines& lines) const;
    void paintMarginals(const Ink& ink) const;
    void paintAxes(const Ink& ink) const;
    void paintOutline(const PictureLines& lines, std::size_t position, const QPen& pen) const;

    PanelPicture picture_;
    Theme theme_;
    PanelFonts fonts_;
    PatchGrid grid_;
    PictureSurface surface_;
    PictureGeometry geometry_;
    QRectF above_;   ///< room of the marginal along x
    QRectF beside_;  ///< room of the marginal along y
    mutable QImage field_;
};

}  // namespace fovea::widgets
