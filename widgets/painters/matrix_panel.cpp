// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/matrix_panel.h"

#include <QPaintEngine>
#include <algorithm>
#include <cmath>

#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

constexpr double inset = 3;  // keeps outlines inside the panel
constexpr double largestCell = 24;
constexpr double labelGap = 4;
constexpr double narrowestLabelled = 150;  // panels below this width show cells only

std::vector<double> weightsForRank(const PanelPicture& picture) {
    if (picture.state.scale != session::ColourScale::Rank) return {};
    return {picture.matrix->weights.begin(), picture.matrix->weights.end()};
}

/// Every how many cells a label of `height` fits.
std::size_t strideFor(double height, double cell) {
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(height / cell)));
}

bool isVectorFile(const QPainter& painter) {
    const QPaintEngine* engine = painter.paintEngine();
    return engine && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf);
}

}  // namespace

MatrixPanel::MatrixPanel(PanelPicture picture, Theme theme)
    : picture_(std::move(picture)),
      queries_(queryTokens(picture_)),
      keys_(keyTokens(picture_)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)),
      scale_(picture_.state.scale, picture_.largestWeight, weightsForRank(picture_)) {}

double MatrixPanel::labelRoom(std::span<const TokenLabel> tokens, double largestRoom) const {
    // A regular sample is enough for a width: labels beyond it are elided.
    const std::size_t step = std::max<std::size_t>(1, tokens.size() / 256);
    double widest = 0;
    for (std::size_t i = 0; i < tokens.size(); i += step)
        widest = std::max(widest, textWidth(fonts_.smallBold, tokenTextAt(tokens, i)));
    return std::min(std::ceil(widest), largestRoom) + labelGap;
}

double MatrixPanel::layout(double width) {
    const session::MatrixEvaluation& matrix = *picture_.matrix;
    const bool labelled = width >= narrowestLabelled;
    const bool marked = std::any_of(matrix.rowStates.begin(), matrix.rowStates.end(),
                                    [](RowState state) { return state != RowState::Ok; });
    queryRoom_ = labelled ? labelRoom(queries_, std::min(88.0, width * 0.25)) : 0;
    keyRoom_ = labelled ? labelRoom(keys_, 64) : 0;
    markRoom_ = marked ? 10 : 0;
    const double left = inset + queryRoom_ + markRoom_;
    const double available = std::max(width - left - inset, 1.0);
    cell_ = std::min(available / static_cast<double>(matrix.keys), largestCell);
    if (cell_ >= 2) cell_ = std::floor(cell_);
    grid_ = QRectF(left, inset + keyRoom_, cell_ * static_cast<double>(matrix.keys),
                   cell_ * static_cast<double>(matrix.queries));
    return grid_.bottom() + inset;
}

void MatrixPanel::paint(QPainter& painter, const QRectF& visible) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    if (visible.intersects(grid_)) paintRaster(ink);
    paintParts(ink);
    if (keyRoom_ > 0 && visible.top() <= grid_.top()) paintKeyLabels(ink);
    if (queryRoom_ > 0) paintQueryLabels(ink, visible);
    if (markRoom_ > 0) paintMarks(ink, visible);
    paintOutlines(ink);
    painter.restore();
}

void MatrixPanel::paintRaster(const Ink& ink) const {
    const session::MatrixEvaluation& matrix = *picture_.matrix;
    QPainter& painter = ink.painter();
    const double perUnit = std::abs(painter.deviceTransform().m11());
    const RasterSize size = isVectorFile(painter)
                                ? rasterForVectorFile(matrix.queries, matrix.keys, cell_)
                                : rasterFor(matrix.queries, matrix.keys, cell_ * perUnit, perUnit);
    if (raster_.isNull() || size != rasterSize_) {
        raster_ = matrixRaster(matrix, scale_, theme_, size);
        rasterSize_ = size;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setRenderHint(QPainter::LosslessImageRendering);
    // Always the whole image: SVG output ignores the source rectangle.
    painter.drawImage(grid_, raster_, QRectF(raster_.rect()));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme_.frame, 1));
    painter.drawRect(grid_.adjusted(-0.5, -0.5, 0.5, 0.5));
}

void MatrixPanel::paintQueryLabels(const Ink& ink, const QRectF& visible) const {
    const double height = textHeight(fonts_.small);
    const std::size_t stride = strideFor(height, cell_);
    const std::size_t pinned = picture_.state.selection.query.value;
    const std::size_t hovered = hover() && hover()->query ? hover()->query->value : pinned;
    const auto label = [&](std::size_t query, const QFont& font, const QColor& colour) {
        const double y = grid_.top() + (static_cast<double>(query) + 0.5) * cell_;
        const QRectF box(inset, y - height / 2, queryRoom_ - labelGap, height);
        ink.textIn(box, Qt::AlignRight, elided(font, tokenTextAt(queries_, query), box.width()),
                   font, colour);
    };
    const std::size_t first = firstRow(visible.top() - height) / stride * stride;
    for (std::size_t query = first; query < pastRow(visible.bottom() + height); query += stride) {
        const double toPinned = std::abs(static_cast<double>(query) - static_cast<double>(pinned)) * cell_;
        if (toPinned >= height * 0.9)
            label(query, fonts_.small, query == hovered ? theme_.text : theme_.mutedText);
    }
    if (pinned < picture_.matrix->queries) label(pinned, fonts_.smallBold, theme_.accent);
}

void MatrixPanel::paintKeyLabels(const Ink& ink) const {
    QPainter& painter = ink.painter();
    const double height = textHeight(fonts_.small);
    const std::size_t hovered = hover() && hover()->key ? hover()->key->value : picture_.matrix->keys;
    for (std::size_t key = 0; key < picture_.matrix->keys; key += strideFor(height, cell_)) {
        const double x = grid_.left() + (static_cast<double>(key) + 0.5) * cell_;
        painter.save();
        painter.translate(x, grid_.top() - labelGap);
        painter.rotate(-90);
        const QRectF box(0, -height / 2, keyRoom_ - labelGap, height);
        const QString text = elided(fonts_.small, tokenTextAt(keys_, key), box.width());
        ink.textIn(box, Qt::AlignLeft, text, fonts_.small, key == hovered ? theme_.text : theme_.mutedText);
        painter.restore();
    }
}

void MatrixPanel::paintMarks(const Ink& ink, const QRectF& visible) const {
    const double radius = std::clamp(cell_ * 0.35, 2.0, 4.0);
    const double x = grid_.left() - markRoom_ / 2 - 1;
    double lastY = -1e9;
    for (std::size_t row = firstRow(visible.top() - 5); row < pastRow(visible.bottom() + 5); ++row) {
        const RowState state = picture_.matrix->rowStates[row];
        const double y = grid_.top() + (static_cast<double>(row) + 0.5) * cell_;
        if (state == RowState::Ok || y - lastY < 2 * radius) continue;
        lastY = y;
        if (state == RowState::Empty) ink.emptySign({x, y}, radius, theme_.text);
        if (state == RowState::Invalid)
            ink.cross({x - radius, y - radius, 2 * radius, 2 * radius}, theme_.invalid);
    }
}

void MatrixPanel::paintOutlines(const Ink& ink) const {
    QPainter& painter = ink.painter();
    painter.setBrush(Qt::NoBrush);
    const QRectF pinned = boxOf(picture_.state.selection.query.value);
    if (!pinned.isEmpty()) {
        const double width = cell_ >= 6 ? 2 : 1;
        if (cell_ >= 6) {
            // A ring of background keeps the outline apart from any colour of the map.
            painter.setPen(QPen(theme_.background, 1));
            painter.drawRect(pinned.adjusted(0.5, 0.5, -0.5, -0.5));
        }
        painter.setPen(QPen(theme_.accent, width, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
        painter.drawRect(pinned.adjusted(-width / 2, -width / 2, width / 2, width / 2));
    }
    if (!hover() || !hover()->query || !hover()->key) return;
    const QRectF row = boxOf(hover()->query->value);
    const QRectF cell(grid_.left() + static_cast<double>(hover()->key->value) * cell_, row.top(), cell_,
                      cell_);
    painter.setPen(QPen(theme_.background, 3));
    painter.drawRect(cell);
    painter.setPen(QPen(theme_.text, 1.2));
    painter.drawRect(cell);
}

// Where a picture's patches begin and end among the tokens, and where the second text of a pair begins.
void MatrixPanel::paintParts(const Ink& ink) const {
    const auto bordersOf = [](const PatchGrid* patches, std::span<const TokenLabel> tokens) {
        std::vector<std::size_t> borders{secondTextOf(tokens)};
        if (patches) borders = {patches->first, patches->first + patches->count()};
        std::erase_if(borders, [&](std::size_t border) { return border == 0 || border >= tokens.size(); });
        return borders;
    };
    QPainter& painter = ink.painter();
    painter.setPen(QPen(mixed(theme_.accent, theme_.background, 0.3), 1));
    for (const std::size_t border : bordersOf(gridOfKeys(picture_), keys_)) {
        const double across = grid_.left() + static_cast<double>(border) * cell_;
        painter.drawLine(QLineF(across, grid_.top(), across, grid_.bottom()));
    }
    for (const std::size_t border : bordersOf(gridOfQueries(picture_), queries_)) {
        const double down = grid_.top() + static_cast<double>(border) * cell_;
        painter.drawLine(QLineF(grid_.left(), down, grid_.right(), down));
    }
}

std::size_t MatrixPanel::firstRow(double top) const {
    const double row = std::floor((top - grid_.top()) / cell_);
    return row > 0 ? std::min(static_cast<std::size_t>(row), picture_.matrix->queries) : 0;
}

std::size_t MatrixPanel::pastRow(double bottom) const {
    const double row = std::ceil((bottom - grid_.top()) / cell_);
    return row > 0 ? std::min(static_cast<std::size_t>(row), picture_.matrix->queries) : 0;
}

PanelHit MatrixPanel::hit(QPointF point) const {
    PanelHit found;
    const double row = std::floor((point.y() - grid_.top()) / cell_);
    const double column = std::floor((point.x() - grid_.left()) / cell_);
    const bool inRows = row >= 0 && row < static_cast<double>(picture_.matrix->queries);
    const bool inColumns = column >= 0 && column < static_cast<double>(picture_.matrix->keys);
    const bool onLabel = point.x() >= 0 && column < 0;
    if (inRows && (inColumns || onLabel)) found.query = QueryIndex(static_cast<std::size_t>(row));
    if (inRows && inColumns) found.key = KeyIndex(static_cast<std::size_t>(column));
    return found;
}

QRectF MatrixPanel::boxOf(std::size_t index) const {
    if (index >= picture_.matrix->queries) return {};
    return {grid_.left(), grid_.top() + static_cast<double>(index) * cell_, grid_.width(), cell_};
}

}  // namespace fovea::widgets
