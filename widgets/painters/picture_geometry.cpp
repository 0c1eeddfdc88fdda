// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/picture_geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace fovea::widgets {

namespace {

constexpr double patchSideWithoutPicture = 16;
constexpr double mostCorners = 8192;
constexpr double mostRoomAbove = 28;  // for the part of an ellipse that leaves the picture

QRectF rectOf(const image::PixelRect& rect) { return {rect.left, rect.top, rect.width, rect.height}; }

// Patches are square, and what is left over at the right and the bottom is less than one of them.
QRectF seenFrame(const image::PreparedPicture& photo, const PatchGrid& grid) {
    const std::size_t side =
        std::max<std::size_t>(1, std::min(photo.seen.width / grid.columns, photo.seen.height / grid.rows));
    return {0, 0, static_cast<double>(side * grid.columns), static_cast<double>(side * grid.rows)};
}

/// The part of a segment inside `box`, as shares of it (Liang and Barsky).
std::optional<std::pair<double, double>> partInside(QPointF from, QPointF to, const QRectF& box) {
    double first = 0;
    double last = 1;
    const QPointF step = to - from;
    const double directions[4] = {-step.x(), step.x(), -step.y(), step.y()};
    const double rooms[4] = {from.x() - box.left(), box.right() - from.x(), from.y() - box.top(),
                             box.bottom() - from.y()};
    for (int side = 0; side < 4; ++side) {
        if (directions[side] == 0) {
            if (rooms[side] < 0) return std::nullopt;
            continue;
        }
        const double at = rooms[side] / directions[side];
        if (directions[side] < 0) first = std::max(first, at);
        else last = std::min(last, at);
    }
    if (first > last) return std::nullopt;
    return std::pair(first, last);
}

}  // namespace

PictureSurface PictureSurface::of(const image::PreparedPicture* photo, const PatchGrid& grid,
                                  session::PictureFrame shown) {
    PictureSurface surface;
    if (photo == nullptr) {
        surface.frame = QRectF(0, 0, patchSideWithoutPicture * static_cast<double>(grid.columns),
                               patchSideWithoutPicture * static_cast<double>(grid.rows));
        surface.picture = surface.frame;
    } else if (shown == session::PictureFrame::AsSeen || !photo->original) {
        surface.picture =
            QRectF(0, 0, static_cast<double>(photo->seen.width), static_cast<double>(photo->seen.height));
        surface.frame = seenFrame(*photo, grid);
    } else {
        surface.picture = QRectF(0, 0, static_cast<double>(photo->original->width),
                                 static_cast<double>(photo->original->height));
        surface.frame = rectOf(photo->frame);
    }
    surface.whole = surface.picture.united(surface.frame);
    return surface;
}

PictureGeometry::PictureGeometry(const PictureSurface& surface, const QRectF& room, PictureLens lens)
    : surface_(surface), room_(room), lens_(lens) {
    const QRectF& whole = surface_.whole;
    lens_.zoom = lens_.zoom > 1 ? std::min(lens_.zoom, largestZoom) : 1;
    const double fit = std::min(room.width() / whole.width(), room.height() / whole.height()) * lens_.zoom;
    // Whole units, so that the picture's edges are sharp; the patches follow the same map.
    const double wide = std::max(1.0, std::round(whole.width() * fit));
    const double high = std::max(1.0, std::round(whole.height() * fit));
    scaleX_ = wide / whole.width();
    scaleY_ = high / whole.height();
    const QSizeF size(std::min(wide, std::max(1.0, std::floor(room.width()))),
                      std::min(high, std::max(1.0, std::floor(room.height()))));
    // Near the top, so that pictures of panels side by side stand level whatever is written below them.
    const double above = std::min((room.height() - size.height()) / 2, mostRoomAbove);
    window_ = QRectF(
        QPointF(std::floor(room.left() + (room.width() - size.width()) / 2), std::floor(room.top() + above)),
        size);
    const auto held = [](double centre, double start, double length, double seen) {
        const double middle = std::isfinite(centre) ? centre * length : length / 2;
        return start + std::clamp(middle - seen / 2, 0.0, std::max(0.0, length - seen));
    };
    const double seenWide = size.width() / scaleX_;
    const double seenHigh = size.height() / scaleY_;
    visible_ = QRectF(held(lens_.centre.x(), whole.left(), whole.width(), seenWide),
                      held(lens_.centre.y(), whole.top(), whole.height(), seenHigh), seenWide, seenHigh);
    lens_.centre = QPointF((visible_.center().x() - whole.left()) / whole.width(),
                           (visible_.center().y() - whole.top()) / whole.height());
}

QPointF PictureGeometry::toPanel(QPointF pixel) const {
    return {window_.left() + (pixel.x() - visible_.left()) * scaleX_,
            window_.top() + (pixel.y() - visible_.top()) * scaleY_};
}

QPointF PictureGeometry::toPixel(QPointF panel) const {
    return {visible_.left() + (panel.x() - window_.left()) / scaleX_,
            visible_.top() + (panel.y() - window_.top()) / scaleY_};
}

QRectF PictureGeometry::toPanel(const QRectF& pixels) const {
    return {toPanel(pixels.topLeft()), toPanel(pixels.bottomRight())};
}

QPointF PictureGeometry::unitToPanel(QPointF unit) const {
    const QRectF& frame = surface_.frame;
    return toPanel(QPointF(frame.left() + unit.x() * frame.width(), frame.top() + unit.y() * frame.height()));
}

QPointF PictureGeometry::panelToUnit(QPointF panel) const {
    const QPointF pixel = toPixel(panel);
    const QRectF& frame = surface_.frame;
    return {(pixel.x() - frame.left()) / frame.width(), (pixel.y() - frame.top()) / frame.height()};
}

QRectF PictureGeometry::patch(const PatchGrid& grid, std::size_t row, std::size_t column) const {
    const auto corner = [&](std::size_t r, std::size_t c) {
        return unitToPanel({static_cast<double>(c) / static_cast<double>(grid.columns),
                            static_cast<double>(r) / static_cast<double>(grid.rows)});
    };
    return {corner(row, column), corner(row + 1, column + 1)};
}

PictureLens PictureGeometry::zoomedAt(QPointF panel, double factor) const {
    const PictureLens larger{std::clamp(lens_.zoom * factor, 1.0, largestZoom), lens_.centre};
    const PictureGeometry there(surface_, room_, larger);
    const QPointF pixel = toPixel(panel);
    const QPointF corner(pixel.x() - (panel.x() - there.window_.left()) / there.scaleX_,
                         pixel.y() - (panel.y() - there.window_.top()) / there.scaleY_);
    const QRectF& whole = surface_.whole;
    const QPointF centre((corner.x() + there.visible_.width() / 2 - whole.left()) / whole.width(),
                         (corner.y() + there.visible_.height() / 2 - whole.top()) / whole.height());
    return PictureGeometry(surface_, room_, {larger.zoom, centre}).lens();
}

PictureLens PictureGeometry::panned(QPointF shift) const {
    const QRectF& whole = surface_.whole;
    const QPointF centre(lens_.centre.x() - shift.x() / (scaleX_ * whole.width()),
                         lens_.centre.y() - shift.y() / (scaleY_ * whole.height()));
    return PictureGeometry(surface_, room_, {lens_.zoom, centre}).lens();
}

QPolygonF ellipsePolygon(const Ellipse& ellipse, const PictureGeometry& geometry, double tolerance) {
    const bool finite = ellipse.centre.allFinite() && std::isfinite(ellipse.major) &&
                        std::isfinite(ellipse.minor) && std::isfinite(ellipse.angle);
    if (!finite || !(ellipse.minor > 0)) return {};
    const QPointF along(ellipse.major * std::cos(ellipse.angle), ellipse.major * std::sin(ellipse.angle));
    const QPointF across(-ellipse.minor * std::sin(ellipse.angle), ellipse.minor * std::cos(ellipse.angle));
    const QPointF centre(ellipse.centre.x(), ellipse.centre.y());
    const QPointF reach = geometry.unitToPanel({ellipse.major, ellipse.major}) - geometry.unitToPanel({0, 0});
    // A chord of N corners is radius pi^2/(2 N^2) away from its arc.
    const double radius = std::max(reach.x(), reach.y());
    const double corners = std::ceil(std::numbers::pi * std::sqrt(radius / (2 * tolerance)));
    const auto count = static_cast<std::size_t>(std::clamp(corners, 64.0, mostCorners));
    QPolygonF polygon;
    polygon.reserve(static_cast<qsizetype>(count) + 1);
    for (std::size_t i = 0; i < count; ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
        polygon << geometry.unitToPanel(centre + along * std::cos(turn) + across * std::sin(turn));
    }
    polygon << polygon.first();
    return polygon;
}

std::vector<QPolygonF> clipped(const QPolygonF& line, const QRectF& box) {
    std::vector<QPolygonF> pieces;
    bool open = false;
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const auto part = partInside(line[i], line[i + 1], box);
        if (!part) {
            open = false;
            continue;
        }
        const auto at = [&](double share) {
            return share >= 1 ? line[i + 1] : line[i] + (line[i + 1] - line[i]) * share;
        };
        if (!open || part->first > 0) pieces.emplace_back() << at(part->first);
        pieces.back() << at(part->second);
        open = part->second >= 1;
    }
    // The seam of a closed line that begins inside is no end.
    const bool closed = line.size() > 2 && line.first() == line.last();
    if (closed && pieces.size() > 1 && pieces.front().first() == line.first() &&
        pieces.back().last() == line.first()) {
        pieces.back() << pieces.front().mid(1);
        pieces.erase(pieces.begin());
    }
    return pieces;
}

QPolygonF outlineOf(const QRectF& box) {
    return QPolygonF({box.topLeft(), box.topRight(), box.bottomRight(), box.bottomLeft(), box.topLeft()});
}

}  // namespace fovea::widgets
