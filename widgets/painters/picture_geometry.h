// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QPolygonF>
#include <QRectF>
#include <vector>

#include "core/image/preprocess.h"
#include "core/mechanism/continuous_2d.h"
#include "core/session/document_state.h"
#include "core/trace/patch_grid.h"

namespace fovea::widgets {

/// What an image view shows of its picture: all of it, or a part that is magnified.
struct PictureLens {
    double zoom = 1;             ///< 1: all of it fits; at most `largestZoom`
    QPointF centre{0.5, 0.5};    ///< of the part, in shares of the picture's sides

    bool operator==(const PictureLens&) const = default;
};
inline constexpr double largestZoom = 64;

/// A picture and its patches in pixels of that picture.
struct PictureSurface {
    QRectF whole;    ///< picture and patches together: a padded crop reaches beyond the picture
    QRectF picture;  ///< the pixels that there are
    QRectF frame;    ///< what the patches cover

    bool operator==(const PictureSurface&) const = default;

    /// `photo` may be null: then the grid alone, with square patches.
    static PictureSurface of(const image::PreparedPicture* photo, const PatchGrid& grid,
                             session::PictureFrame shown);
};

/// Affine maps between a panel, the pixels of a picture, and the unit square of its patch grid (x right,
/// y down), for a picture fitted into `room` with its aspect kept. The window is what is seen of it.
class PictureGeometry {
public:
    PictureGeometry() = default;
    /// `room` has a positive size. The lens is held to parts inside the picture.
    PictureGeometry(const PictureSurface& surface, const QRectF& room, PictureLens lens);

    const QRectF& window() const { return window_; }
    const PictureSurface& surface() const { return surface_; }
    const PictureLens& lens() const { return lens_; }
    double pixelWidth() const { return scaleX_; }   ///< panel units a pixel of the picture
    double pixelHeight() const { return scaleY_; }

    QPointF toPanel(QPointF pixel) const;
    QPointF toPixel(QPointF panel) const;
    QRectF toPanel(const QRectF& pixels) const;
    QPointF unitToPanel(QPointF unit) const;
    QPointF panelToUnit(QPointF panel) const;
    QRectF patch(const PatchGrid& grid, std::size_t row, std::size_t column) const;

    /// The lens that magnifies by `factor` more and keeps the point of the picture under `panel`.
    PictureLens zoomedAt(QPointF panel, double factor) const;
    /// The lens after the picture was dragged by `shift`.
    PictureLens panned(QPointF shift) const;

    bool operator==(const PictureGeometry&) const = default;

private:
    PictureSurface surface_;
    QRectF room_;
    PictureLens lens_;
    QRectF window_;
    QRectF visible_;  // in pixels
    double scaleX_ = 1;
    double scaleY_ = 1;
};

/// An ellipse of the unit square as a closed polygon in the panel, at most `tolerance` off; empty when it
/// is not finite or has no area.
QPolygonF ellipsePolygon(const Ellipse& ellipse, const PictureGeometry& geometry, double tolerance);

/// The parts of a polyline inside `box`. A closed polygon that lies inside comes back as one piece whose
/// last point is its first.
std::vector<QPolygonF> clipped(const QPolygonF& line, const QRectF& box);

/// A rectangle as a closed polyline.
QPolygonF outlineOf(const QRectF& box);

}  // namespace fovea::widgets
