// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/image_panel.h"

#include <algorithm>
#include <cmath>

#include "widgets/painters/ellipse_drawing.h"

namespace fovea::widgets {

namespace {

constexpr double inset = 3;  // keeps lines and their casings inside the panel
constexpr double stripGap = 5;
constexpr double lowestRoom = 90;
constexpr double tallestAspect = 1.5;     // of a figure: taller pictures get narrower
constexpr double fileDotsPerUnit = 3.125;  // 300 to the inch
constexpr double fileHeatSide = 1024;      // pixels: viewers smooth rasters, and crisp patches need many

std::vector<double> weightsForRank(const PanelPicture& picture) {
    if (picture.state.scale != session::ColourScale::Rank) return {};
    return picture.row->weights;
}

QPen pen(const QColor& colour, double width) {
    return QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::MiterJoin);
}

}  // namespace

// Kept between paintings and handed from a picture to the next one of the same photograph.
struct ImagePanel::Rasters {
    std::shared_ptr<const PhotoSource> source;
    PictureGeometry groundGeometry;
    RasterPlace groundPlace;
    QImage ground;
    PictureGeometry heatGeometry;
    RasterPlace heatPlace;
    QImage heat;
};

ImagePanel::ImagePanel(PanelPicture picture, Theme theme)
    : picture_(std::move(picture)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)),
      scale_(picture_.state.scale, picture_.largestWeight, weightsForRank(picture_)),
      grid_(*picture_.trace->grid),
      strip_(picture_, theme_, scale_, false),
      surface_(PictureSurface::of(picture_.photo.get(), grid_, picture_.state.look.frame)),
      rasters_(std::make_unique<Rasters>()) {
    if (picture_.photo)
        rasters_->source = std::make_shared<const PhotoSource>(picture_.photo, picture_.state.look.frame);
}

ImagePanel::~ImagePanel() = default;

void ImagePanel::adopt(const PanelPainter& previous) {
    const auto* other = dynamic_cast<const ImagePanel*>(&previous);
    if (other == nullptr) return;
    const auto& source = other->rasters_->source;
    const bool same = source ? source->shows(picture_.photo.get(), picture_.state.look.frame)
                             : !picture_.photo && other->grid_ == grid_;
    if (!same) return;
    rasters_->source = source;
    rasters_->groundGeometry = other->rasters_->groundGeometry;
    rasters_->groundPlace = other->rasters_->groundPlace;
    rasters_->ground = other->rasters_->ground;
    if (!showsHeatOf(*other)) return;
    rasters_->heatGeometry = other->rasters_->heatGeometry;
    rasters_->heatPlace = other->rasters_->heatPlace;
    rasters_->heat = other->rasters_->heat;
}

// While a slider drives the density, its base weights stay.
bool ImagePanel::showsHeatOf(const ImagePanel& other) const {
    const session::PanelState& state = picture_.state;
    return state.look.heat == other.picture_.state.look.heat && state.scale == other.picture_.state.scale &&
           picture_.largestWeight == other.picture_.largestWeight && theme_.kind == other.theme_.kind &&
           grid_ == other.grid_ && picture_.row->states == other.picture_.row->states &&
           picture_.row->weights == other.picture_.row->weights;
}

double ImagePanel::layout(double width) {
    const double stripHeight = strip_.layout(width);
    const double top = stripHeight > 0 ? std::ceil(stripHeight + stripGap) : 0;
    const double note = picture_.photo ? 0 : std::ceil(textHeight(fonts_.small)) + 4;
    const double wide = std::max(width - 2 * inset, 1.0);
    double high = 0;
    if (roomHeight_ > 0) {
        high = std::max(roomHeight_ - top - note - 2 * inset, std::min(lowestRoom, wide));
    } else {
        const double aspect = surface_.whole.height() / surface_.whole.width();
        high = std::max(1.0, std::round(wide * std::min(aspect, tallestAspect)));
    }
    high = std::max(1.0, std::floor(high));
    const QRectF room(inset, top + inset, wide, high);
    geometry_ = PictureGeometry(surface_, room, wanted_);
    // Where the picture goes on beyond its window, so would its lines.
    lineBox_ = geometry_.lens().zoom > 1 ? geometry_.window() : room;
    noteBox_ = QRectF(0, room.bottom() + inset, width, note);
    return room.bottom() + inset + note;
}

void ImagePanel::paint(QPainter& painter, const QRectF& visible) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    strip_.paint(painter, visible);
    if (visible.intersects(lineBox_)) {
        paintRasters(painter);
        const PictureLines lines(ink, lineBox_);
        if (picture_.state.look.patchGrid) paintGrid(lines);
        paintFrame(lines);
        if (picture_.row->picture)
            drawEllipses(lines, picture_.row->picture->ellipses, geometry_, fonts_.smallBold);
        paintQueries(lines);
    }
    if (noteBox_.height() > 0) paintNote(ink);
    painter.restore();
}

void ImagePanel::paintRasters(QPainter& painter) const {
    const QRectF& window = geometry_.window();
    const bool file = paintsIntoVectorFile(painter);
    // A file gets the photograph as it is, or coarser.
    const double dots =
        file && picture_.photo ? std::min(fileDotsPerUnit, 1 / geometry_.pixelWidth()) : fileDotsPerUnit;
    const RasterPlace groundPlace = RasterPlace::on(painter, window, dots);
    Rasters& kept = *rasters_;
    const bool known =
        !kept.ground.isNull() && kept.groundPlace.samePixels(groundPlace) && kept.groundGeometry == geometry_;
    if (!known) {
        kept.ground = groundRaster(kept.source.get(), geometry_, grid_, groundPlace);
        kept.groundPlace = groundPlace;
        kept.groundGeometry = geometry_;
    }
    groundPlace.draw(painter, kept.ground);
    if (picture_.state.look.heat == session::HeatKind::None) return;
    const double heatDots =
        std::clamp(fileHeatSide / std::max(window.width(), window.height()), 1.0, fileDotsPerUnit);
    const RasterPlace heatPlace = RasterPlace::on(painter, window, heatDots);
    const bool heated =
        !kept.heat.isNull() && kept.heatPlace.samePixels(heatPlace) && kept.heatGeometry == geometry_;
    if (!heated) {
        const HeatContent content{picture_.row->weights, picture_.row->states, grid_,
                                  picture_.state.look.heat};
        kept.heat = heatRaster(content, scale_, theme_, geometry_, heatPlace);
        kept.heatPlace = heatPlace;
        kept.heatGeometry = geometry_;
    }
    painter.save();
    painter.setRenderHint(QPainter::LosslessImageRendering);
    heatPlace.draw(painter, kept.heat);
    painter.restore();
}

// The border of what the model sees, where that is not all.
void ImagePanel::paintFrame(const PictureLines& lines) const {
    const bool all = surface_.frame.contains(surface_.whole.adjusted(0.5, 0.5, -0.5, -0.5));
    if (all) return;
    const PictureLines inWindow(lines.ink(), geometry_.window());
    inWindow.cased(outlineOf(geometry_.toPanel(surface_.frame)), pen(QColor(255, 255, 255, 170), 1), 1);
}

void ImagePanel::paintGrid(const PictureLines& lines) const {
    const PictureLines inWindow(lines.ink(), geometry_.window());
    const QPen thin = pen(QColor(255, 255, 255, 70), 1);
    for (std::size_t column = 0; column <= grid_.columns; ++column) {
        const double x = static_cast<double>(column) / static_cast<double>(grid_.columns);
        inWindow.plain(QPolygonF({geometry_.unitToPanel({x, 0}), geometry_.unitToPanel({x, 1})}), thin);
    }
    for (std::size_t row = 0; row <= grid_.rows; ++row) {
        const double y = static_cast<double>(row) / static_cast<double>(grid_.rows);
        inWindow.plain(QPolygonF({geometry_.unitToPanel({0, y}), geometry_.unitToPanel({1, y})}), thin);
    }
}

void ImagePanel::paintQueries(const PictureLines& lines) const {
    const session::Selection& selection = picture_.state.selection;
    const QRectF box =
        geometry_.lens().zoom > 1 ? geometry_.window() : geometry_.window().adjusted(-1, -1, 1, 1);
    const PictureLines inWindow(lines.ink(), box);
    const auto outline = [&](std::size_t position, const QColor& colour, double width) {
        if (grid_.contains(position)) inWindow.cased(outlineOf(patchOf(position)), pen(colour, width), 1);
    };
    for (const QueryIndex further : selection.more) outline(further.value, QColor(255, 255, 255, 215), 1.4);
    outline(selection.query.value, Qt::white, 2);
    const auto hovered = hover() ? hover()->key : std::nullopt;
    if (hovered && hovered->value != selection.query.value)
        outline(hovered->value, QColor(0x79, 0xae, 0xfc), 1.6);
}

void ImagePanel::paintNote(const Ink& ink) const {
    const QString text = QStringLiteral("no picture at hand: the patches as a checker");
    ink.textIn(noteBox_, Qt::AlignLeft, elided(fonts_.small, text, noteBox_.width()), fonts_.small,
               theme_.mutedText);
}

QRectF ImagePanel::patchOf(std::size_t position) const {
    return geometry_.patch(grid_, grid_.rowOf(position), grid_.columnOf(position));
}

PictureLens ImagePanel::showing(std::size_t position) const {
    if (!grid_.contains(position)) return geometry_.lens();
    const QRectF patch = patchOf(position);
    const QRectF& window = geometry_.window();
    const auto shift = [](double low, double high, double from, double to) {
        return low < from ? from - low : high > to ? to - high : 0.0;
    };
    return geometry_.panned({shift(patch.left(), patch.right(), window.left(), window.right()),
                             shift(patch.top(), patch.bottom(), window.top(), window.bottom())});
}

PanelHit ImagePanel::hit(QPointF point) const {
    const QueryIndex query = picture_.state.selection.query;
    if (const auto position = strip_.positionAt(point)) return {query, KeyIndex(*position)};
    if (!geometry_.window().contains(point)) return {};
    const QPointF unit = geometry_.panelToUnit(point);
    if (!(unit.x() >= 0 && unit.x() < 1 && unit.y() >= 0 && unit.y() < 1)) return {};
    const auto cell = [](double share, std::size_t count) {
        return std::min(static_cast<std::size_t>(share * static_cast<double>(count)), count - 1);
    };
    return {query, KeyIndex(grid_.positionOf(cell(unit.y(), grid_.rows), cell(unit.x(), grid_.columns)))};
}

QRectF ImagePanel::boxOf(std::size_t index) const {
    return grid_.contains(index) ? patchOf(index).intersected(geometry_.window()) : strip_.boxOf(index);
}

void ImagePanel::setHover(std::optional<PanelHit> hover) {
    PanelPainter::setHover(hover);
    strip_.setHover(hover && hover->key ? std::optional(hover->key->value) : std::nullopt);
}

}  // namespace fovea::widgets
