// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/density_map_panel.h"

#include <algorithm>
#include <cmath>

#include "core/session/marginal.h"
#include "widgets/painters/ellipse_drawing.h"
#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

namespace {

using session::EllipseEvaluation;
using session::PictureAxis;

constexpr double inset = 2;
constexpr double marginalRoom = 44;
constexpr double gap = 4;
constexpr double narrowestFull = 150;  // narrower panels have neither axes nor marginals
constexpr double tallestAspect = 1.2;
constexpr int fieldSide = 160;  // points along the longer side; interpolated when drawn
constexpr int curvePoints = 240;

double largestOf(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = value > largest ? value : largest;
    return largest;
}

/// The marginal at `points` places of the unit interval; of the weights per patch where there is no density.
std::vector<double> marginalCurve(const std::vector<EllipseEvaluation>& ellipses, PictureAxis axis,
                                  int points) {
    std::vector<double> values(static_cast<std::size_t>(points) + 1, 0.0);
    for (const EllipseEvaluation& ellipse : ellipses) {
        const auto marginal = session::marginalOf(ellipse.density, axis);
        if (!marginal) continue;
        for (int i = 0; i <= points; ++i) {
            values[static_cast<std::size_t>(i)] +=
                ellipse.weight * (*marginal)(static_cast<double>(i) / points);
        }
    }
    return values;
}

}  // namespace

DensityMapPanel::DensityMapPanel(PanelPicture picture, Theme theme)
    : picture_(std::move(picture)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)),
      grid_(*picture_.trace->grid),
      surface_(PictureSurface::of(picture_.photo.get(), grid_, picture_.state.look.frame)) {
    surface_.whole = surface_.picture = surface_.frame;
}

double DensityMapPanel::layout(double width) {
    const bool full = width >= narrowestFull;
    const double line = std::ceil(textHeight(fonts_.small));
    const double left = full ? std::ceil(textWidth(fonts_.small, QString::number(grid_.rows))) + 8 : inset;
    const double right = full ? marginalRoom + gap : inset;
    const double top = full ? marginalRoom + gap : inset;
    const double wide = std::max(std::floor(width - left - right - inset), 1.0);
    const double aspect = surface_.frame.height() / surface_.frame.width();
    const double high = std::max(1.0, std::round(wide * std::min(aspect, tallestAspect)));
    geometry_ = PictureGeometry(surface_, QRectF(left, top, wide, high), {});
    const QRectF& window = geometry_.window();
    above_ = full ? QRectF(window.left(), inset, window.width(), marginalRoom - inset) : QRectF();
    beside_ =
        full ? QRectF(window.right() + gap, window.top(), marginalRoom - gap, window.height()) : QRectF();
    field_ = QImage();
    return window.bottom() + (full ? 6 + 2 * line : inset);
}

void DensityMapPanel::paint(QPainter& painter, const QRectF&) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    const QRectF& window = geometry_.window();
    painter.fillRect(window, theme_.emptyCell);
    if (!ellipses().empty()) paintField(painter);
    const PictureLines lines(ink, window);
    paintDots(lines);
    drawEllipses(lines, ellipses(), geometry_, fonts_.smallBold);
    paintOutline(lines, picture_.state.selection.query.value,
                 QPen(Qt::white, 2, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin));
    if (hover() && hover()->key)
        paintOutline(lines, hover()->key->value, QPen(QColor(0x79, 0xae, 0xfc), 1.6));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.frame, 1));
    painter.drawRect(window.adjusted(-0.5, -0.5, 0.5, 0.5));
    if (!above_.isEmpty()) {
        paintMarginals(ink);
        paintAxes(ink);
    }
    painter.restore();
}

void DensityMapPanel::paintField(QPainter& painter) const {
    const QRectF& window = geometry_.window();
    if (field_.isNull()) {
        const double longest = std::max(window.width(), window.height());
        const auto side = [&](double length) {
            return std::max(1, static_cast<int>(std::lround(fieldSide * length / longest)));
        };
        QImage field(side(window.width()), side(window.height()), QImage::Format_ARGB32_Premultiplied);
        double peak = 0;
        for (const EllipseEvaluation& ellipse : ellipses())
            peak = std::max(peak, ellipse.weight * ellipse.density.peak());
        for (int y = 0; y < field.height(); ++y) {
            for (int x = 0; x < field.width(); ++x) {
                const Eigen::Vector2d at((x + 0.5) / field.width(), (y + 0.5) / field.height());
                double value = 0;
                for (const EllipseEvaluation& ellipse : ellipses())
                    value += ellipse.weight * ellipse.density(at);
                const bool none = !(value > 0) || !(peak > 0);
                field.setPixel(x, y, none ? qRgba(0, 0, 0, 0) : viridis(value / peak).rgba());
            }
        }
        field_ = field;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    painter.drawImage(window, field_, QRectF(field_.rect()));
}

void DensityMapPanel::paintDots(const PictureLines& lines) const {
    const std::vector<double>& weights = picture_.row->weights;
    const std::vector<double> patches(
        weights.begin() + static_cast<std::ptrdiff_t>(grid_.first),
        weights.begin() + static_cast<std::ptrdiff_t>(grid_.first + grid_.count()));
    const double largest = largestOf(patches);
    const QRectF first = geometry_.patch(grid_, 0, 0);
    const double most = std::clamp(0.45 * std::min(first.width(), first.height()), 1.5, 9.0);
    QPainter& painter = lines.ink().painter();
    painter.setPen(QPen(QColor(0, 0, 0, 160), 0.8));
    painter.setBrush(QColor(255, 255, 255, 215));
    for (std::size_t i = 0; i < patches.size(); ++i) {
        if (!(patches[i] > 0)) continue;
        const double radius = most * std::sqrt(patches[i] / largest);
        if (radius < 0.35) continue;
        const QPointF centre = geometry_.patch(grid_, i / grid_.columns, i % grid_.columns).center();
        painter.drawEllipse(centre, radius, radius);
    }
}

void DensityMapPanel::paintMarginals(const Ink& ink) const {
    for (const PictureAxis axis : {PictureAxis::X, PictureAxis::Y}) {
        const bool across = axis == PictureAxis::X;
        const QRectF& room = across ? above_ : beside_;
        const auto at = [&](double share, double height) {
            return across
                       ? QPointF(room.left() + share * room.width(), room.bottom() - height * room.height())
                       : QPointF(room.left() + height * room.width(), room.top() + share * room.height());
        };
        QPolygonF curve;
        const bool density = !ellipses().empty();
        const std::vector<double> values = density
                                               ? marginalCurve(ellipses(), axis, curvePoints)
                                               : session::marginalWeights(picture_.row->weights, grid_, axis);
        const double largest = largestOf(values);
        if (!(largest > 0)) continue;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double height = std::isfinite(values[i]) ? std::clamp(values[i] / largest, 0.0, 1.0) : 0;
            const auto share = [&](std::size_t index, std::size_t count) {
                return static_cast<double>(index) / static_cast<double>(count);
            };
            if (density) {
                curve << at(share(i, values.size() - 1), height);
            } else {
                curve << at(share(i, values.size()), height) << at(share(i + 1, values.size()), height);
            }
        }
        drawCurve(ink, curve, at(0, 0), at(1, 0));
    }
}

void DensityMapPanel::paintAxes(const Ink& ink) const {
    QPainter& painter = ink.painter();
    const QRectF& window = geometry_.window();
    const double line = std::ceil(textHeight(fonts_.small));
    const auto ticks = [&](std::size_t count, double length, double room) {
        const auto most = static_cast<std::size_t>(std::max(1.0, length / room));
        std::vector<double> whole = roundTicks(0, static_cast<double>(count), std::min(most, count));
        std::erase_if(whole, [](double value) { return value != std::floor(value); });
        return whole;
    };
    painter.setPen(QPen(theme_.mutedText, 1));
    for (const double column : ticks(grid_.columns, window.width(), 34)) {
        const double x = window.left() + window.width() * column / static_cast<double>(grid_.columns);
        painter.setPen(QPen(theme_.mutedText, 1));
        painter.drawLine(QLineF(x, window.bottom() + 1, x, window.bottom() + 4));
        const QString text = QString::number(column);
        const double wide = textWidth(fonts_.small, text);
        ink.textIn({x - wide / 2, window.bottom() + 5, wide, line}, Qt::AlignHCenter, text, fonts_.small,
                   theme_.mutedText);
    }
    for (const double row : ticks(grid_.rows, window.height(), 24)) {
        const double y = window.top() + window.height() * row / static_cast<double>(grid_.rows);
        painter.setPen(QPen(theme_.mutedText, 1));
        painter.drawLine(QLineF(window.left() - 4, y, window.left() - 1, y));
        ink.textIn({0, y - line / 2, window.left() - 6, line}, Qt::AlignRight, QString::number(row),
                   fonts_.small, theme_.mutedText);
    }
    const QString name = elided(fonts_.small, QStringLiteral("patches"), window.width());
    ink.textIn({window.left(), window.bottom() + 5 + line, window.width(), line}, Qt::AlignHCenter, name,
               fonts_.small, theme_.mutedText);
}

void DensityMapPanel::paintOutline(const PictureLines& lines, std::size_t position, const QPen& pen) const {
    if (!grid_.contains(position)) return;
    lines.cased(outlineOf(geometry_.patch(grid_, grid_.rowOf(position), grid_.columnOf(position))), pen, 1);
}

PanelHit DensityMapPanel::hit(QPointF point) const {
    const QPointF unit = geometry_.panelToUnit(point);
    if (!(unit.x() >= 0 && unit.x() < 1 && unit.y() >= 0 && unit.y() < 1)) return {};
    const auto cell = [](double share, std::size_t count) {
        return std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
    };
    return {picture_.state.selection.query,
            KeyIndex(grid_.positionOf(cell(unit.y(), grid_.rows), cell(unit.x(), grid_.columns)))};
}

QRectF DensityMapPanel::boxOf(std::size_t index) const {
    return grid_.contains(index) ? geometry_.patch(grid_, grid_.rowOf(index), grid_.columnOf(index))
                                 : QRectF();
}

}  // namespace fovea::widgets
