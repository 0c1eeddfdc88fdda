// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/picture_raster.h"

#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

namespace fovea::widgets {

namespace {

constexpr double dimmedInside = 0.38;   // share of black over the picture
constexpr double dimmedOutside = 0.55;  // once more where no patch is
constexpr int mostRasterSide = 8192;

QImage wrapped(const image::RgbImage& picture) {
    return QImage(picture.pixels.data(), static_cast<int>(picture.width), static_cast<int>(picture.height),
                  static_cast<qsizetype>(picture.width * 3), QImage::Format_RGB888);
}

QColor black(double opacity) {
    QColor colour(Qt::black);
    colour.setAlphaF(static_cast<float>(opacity));
    return colour;
}

void drawChecker(QPainter& painter, const PictureGeometry& geometry, const PatchGrid& grid) {
    for (std::size_t row = 0; row < grid.rows; ++row) {
        for (std::size_t column = 0; column < grid.columns; ++column) {
            const QColor colour =
                (row + column) % 2 == 0 ? QColor(0x3b, 0x3e, 0x44) : QColor(0x46, 0x49, 0x50);
            painter.fillRect(geometry.patch(grid, row, column), colour);
        }
    }
}

}  // namespace

bool paintsIntoVectorFile(const QPainter& painter) {
    const QPaintEngine* engine = painter.paintEngine();
    return engine && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf);
}

RasterPlace RasterPlace::on(const QPainter& painter, const QRectF& window, double vectorDotsPerUnit) {
    RasterPlace place;
    const bool vector = paintsIntoVectorFile(painter);
    const QTransform device =
        vector ? QTransform::fromScale(vectorDotsPerUnit, vectorDotsPerUnit) : painter.deviceTransform();
    const QRectF there = device.mapRect(window);
    // Rounding errors of the transform must not add a row of pixels.
    const QPointF corner =
        vector ? there.topLeft() : QPointF(std::floor(there.left() + 1e-6), std::floor(there.top() + 1e-6));
    const auto side = [](double length) {
        return std::clamp(static_cast<int>(std::ceil(length - 1e-6)), 1, mostRasterSide);
    };
    place.size = QSize(side(there.right() - corner.x()), side(there.bottom() - corner.y()));
    place.toRaster = device * QTransform::fromTranslate(-corner.x(), -corner.y());
    place.target = device.inverted().mapRect(QRectF(corner, QSizeF(place.size)));
    return place;
}

bool RasterPlace::samePixels(const RasterPlace& other) const {
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-6; };
    return size == other.size && near(toRaster.m11(), other.toRaster.m11()) &&
           near(toRaster.m22(), other.toRaster.m22()) && near(toRaster.dx(), other.toRaster.dx()) &&
           near(toRaster.dy(), other.toRaster.dy());
}

void RasterPlace::draw(QPainter& painter, const QImage& image) const {
    const bool unscaled =
        std::abs(target.width() - image.width()) < 1e-6 && std::abs(target.height() - image.height()) < 1e-6;
    // Qt scales in threads of its own, whose start costs more than the copy.
    if (unscaled) return painter.drawImage(target.topLeft(), image);
    // On a device the pixels agree; in a file the viewer interpolates.
    painter.setRenderHint(QPainter::SmoothPixmapTransform, paintsIntoVectorFile(painter));
    painter.drawImage(target, image, QRectF(image.rect()));
}

PhotoSource::PhotoSource(std::shared_ptr<const image::PreparedPicture> photo, session::PictureFrame shown)
    : photo_(std::move(photo)), shown_(shown) {
    const bool original = shown == session::PictureFrame::Original && photo_->original;
    levels_.push_back(wrapped(original ? *photo_->original : photo_->seen));
}

bool PhotoSource::shows(const image::PreparedPicture* photo, session::PictureFrame shown) const {
    return photo_.get() == photo && shown_ == shown;
}

const QImage& PhotoSource::atScale(double scale) const {
    std::size_t level = 0;
    for (double finer = scale; finer <= 0.5; finer *= 2) {
        const QSize size = levels_[level].size();
        if (std::max(size.width(), size.height()) < 2) break;
        ++level;
        if (level < levels_.size()) continue;
        const QSize half((size.width() + 1) / 2, (size.height() + 1) / 2);
        levels_.push_back(levels_.back().scaled(half, Qt::IgnoreAspectRatio, Qt::SmoothTransformation));
    }
    return levels_[level];
}

QImage groundRaster(const PhotoSource* source, const PictureGeometry& geometry, const PatchGrid& grid,
                    const RasterPlace& place) {
    QImage image(place.size, QImage::Format_RGB32);
    image.fill(Qt::black);
    QPainter painter(&image);
    painter.setTransform(place.toRaster);
    if (source == nullptr) {
        drawChecker(painter, geometry, grid);
        return image;
    }
    const double scale = std::max(geometry.pixelWidth() * std::abs(place.toRaster.m11()),
                                  geometry.pixelHeight() * std::abs(place.toRaster.m22()));
    const QImage& photo = source->atScale(scale);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(geometry.toPanel(geometry.surface().picture), photo, QRectF(photo.rect()));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(place.target, black(dimmedInside));
    QPainterPath outside;
    outside.addRect(place.target);
    outside.addRect(geometry.toPanel(geometry.surface().frame));
    painter.fillPath(outside, black(dimmedOutside));
    return image;
}

}  // namespace fovea::widgets
