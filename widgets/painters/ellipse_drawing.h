// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "core/session/picture_evaluation.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/picture_geometry.h"

namespace fovea::widgets {

/// The colour of ellipses, and of what keeps lines apart from any picture.
QColor ellipseColour();
QColor casingColour();

/// Lines of a picture, drawn inside `box` only: what crosses its border is cut there.
class PictureLines {
public:
    PictureLines(const Ink& ink, const QRectF& box) : ink_(ink), box_(box) {}
    /// Twice: a dark casing below, the line above.
    void cased(const QPolygonF& line, const QPen& pen, double casing = 1.4) const;
    void plain(const QPolygonF& line, const QPen& pen) const;
    const QRectF& box() const { return box_; }
    const Ink& ink() const { return ink_; }

private:
    const Ink& ink_;
    QRectF box_;
};

/// The densities over a picture. Bounded: the border of the support solid, half of the mass thin and
/// dashed. A Gaussian: half of the mass solid, its larger region dashed. A cross stands at each centre;
/// components of a mixture are wider and more opaque with their weight, and numbered.
void drawEllipses(const PictureLines& lines, std::span<const session::EllipseEvaluation> ellipses,
                  const PictureGeometry& geometry, const QFont& numbers);

}  // namespace fovea::widgets
