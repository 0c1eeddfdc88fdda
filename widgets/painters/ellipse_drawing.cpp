// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/ellipse_drawing.h"

#include <algorithm>
#include <cmath>

namespace fovea::widgets {

namespace {

using session::EllipseEvaluation;

constexpr double borderTolerance = 0.04;  // panel units between a chord and its arc
constexpr double crossArm = 5;

QPen penOf(double width, double opacity, bool dashed) {
    QColor colour = ellipseColour();
    colour.setAlphaF(static_cast<float>(opacity));
    // Corners of a fine polygon are next to straight: round joins would only cost time.
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin);
    // Dashes are counted in widths of the pen.
    if (dashed) pen.setDashPattern({6 / width, 4 / width});
    return pen;
}

void drawCentre(const PictureLines& lines, QPointF centre, double opacity) {
    const QPen pen = penOf(1.4, opacity, false);
    lines.cased(QPolygonF({centre - QPointF(crossArm, 0), centre + QPointF(crossArm, 0)}), pen, 1.2);
    lines.cased(QPolygonF({centre - QPointF(0, crossArm), centre + QPointF(0, crossArm)}), pen, 1.2);
}

void drawNumber(const PictureLines& lines, QPointF centre, std::size_t number, const QFont& font) {
    const QString text = QString::number(number);
    const double height = std::round(textHeight(font));
    const double width = std::max(height, std::ceil(textWidth(font, text) + 6));
    QRectF box(centre + QPointF(crossArm + 1, -crossArm - height), QSizeF(width, height));
    if (box.right() > lines.box().right()) box.moveRight(centre.x() - crossArm - 1);
    if (box.top() < lines.box().top()) box.moveTop(centre.y() + crossArm);
    if (!lines.box().contains(box)) return;
    QPainter& painter = lines.ink().painter();
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0x14, 0x14, 0x14));
    painter.drawRoundedRect(box, height / 2, height / 2);
    lines.ink().textIn(box, Qt::AlignHCenter, text, font, ellipseColour());
}

}  // namespace

QColor ellipseColour() { return QColor(0xff, 0xb0, 0x00); }

QColor casingColour() { return QColor(0, 0, 0, 150); }

void PictureLines::cased(const QPolygonF& line, const QPen& pen, double casing) const {
    QPen below(casingColour(), pen.widthF() + 2 * casing, Qt::SolidLine, Qt::FlatCap, pen.joinStyle());
    if (pen.style() != Qt::SolidLine) below.setWidthF(pen.widthF() + casing);
    plain(line, below);
    plain(line, pen);
}

void PictureLines::plain(const QPolygonF& line, const QPen& pen) const {
    QPainter& painter = ink_.painter();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(pen);
    for (const QPolygonF& piece : clipped(line, box_)) {
        const bool closed = piece.size() > 2 && piece.first() == piece.last();
        if (closed) painter.drawPolygon(piece.sliced(0, piece.size() - 1));
        else painter.drawPolyline(piece);
    }
}

void drawEllipses(const PictureLines& lines, std::span<const EllipseEvaluation> ellipses,
                  const PictureGeometry& geometry, const QFont& numbers) {
    const bool mixture = ellipses.size() > 1;
    // The heaviest last, so that it lies on top.
    for (std::size_t i = ellipses.size(); i-- > 0;) {
        const EllipseEvaluation& ellipse = ellipses[i];
        const double share = std::clamp(ellipse.weight, 0.0, 1.0);
        const double width = mixture ? 1.2 + 1.4 * share : 2.2;
        const double opacity = mixture ? 0.6 + 0.4 * share : 1.0;
        const QPolygonF outer = ellipsePolygon(ellipse.border, geometry, borderTolerance);
        const QPolygonF inner = ellipsePolygon(ellipse.half, geometry, borderTolerance);
        // What is exact is solid: a support's border, else the region of half of the mass.
        const double thin = std::max(1.0, width * 0.6);
        lines.cased(inner, ellipse.bounded ? penOf(thin, opacity, true) : penOf(width, opacity, false));
        lines.cased(outer, ellipse.bounded ? penOf(width, opacity, false)
                                           : penOf(std::max(1.0, width * 0.8), opacity, true));
        const QPointF centre = geometry.unitToPanel({ellipse.border.centre.x(), ellipse.border.centre.y()});
        if (!lines.box().contains(centre)) continue;
        drawCentre(lines, centre, opacity);
        if (mixture) drawNumber(lines, centre, i + 1, numbers);
    }
}

}  // namespace fovea::widgets
