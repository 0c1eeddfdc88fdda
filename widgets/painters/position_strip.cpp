// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/position_strip.h"

#include <algorithm>
#include <cmath>

namespace fovea::widgets {

namespace {

using session::RowEvaluation;
using session::WeightState;

double massOfPatches(const RowEvaluation& row, const PatchGrid& grid) {
    if (row.picture) return row.picture->patchMass;
    double mass = 0;
    for (std::size_t i = 0; i < grid.count(); ++i) mass += row.weights[grid.first + i];
    return mass;
}

/// A picture of the named positions alone.
PanelPicture reduced(const PanelPicture& picture, const std::vector<std::size_t>& positions) {
    auto trace = std::make_shared<Trace>();
    auto row = std::make_shared<RowEvaluation>();
    row->state = picture.row->state;
    row->selection = picture.row->selection;
    session::Selection selection = picture.state.selection;
    selection.query = QueryIndex(picture.trace->tokens.size());
    selection.more.clear();
    const auto& more = picture.state.selection.more;
    for (std::size_t i = 0; i < positions.size(); ++i) {
        const std::size_t position = positions[i];
        trace->tokens.push_back(picture.trace->tokens[position]);
        row->weights.push_back(picture.row->weights[position]);
        row->states.push_back(picture.row->states[position]);
        if (position == picture.state.selection.query.value) selection.query = QueryIndex(i);
        if (std::find(more.begin(), more.end(), QueryIndex(position)) != more.end())
            selection.more.push_back(QueryIndex(i));
    }
    PanelPicture part = picture;
    part.state.selection = std::move(selection);
    part.trace = std::move(trace);
    part.row = std::move(row);
    return part;
}

void addPatchChip(PanelPicture& part, const PanelPicture& picture) {
    auto trace = std::make_shared<Trace>(*part.trace);
    auto row = std::make_shared<RowEvaluation>(*part.row);
    TokenLabel label;
    label.text = label.piece = patchesText(picture).toStdString();
    label.special = label.spaceBefore = true;
    label.sequence = -1;
    trace->tokens.push_back(std::move(label));
    // A sum of many weights has no place on the scale of single ones: the chip is not coloured.
    row->weights.push_back(0);
    row->states.push_back(WeightState::ExactZero);
    part.trace = std::move(trace);
    part.row = std::move(row);
}

}  // namespace

QString patchesText(const PanelPicture& picture) {
    const PatchGrid& grid = *picture.trace->grid;
    const double mass = massOfPatches(*picture.row, grid);
    const QString shown = std::isnan(mass) ? QStringLiteral("NaN") : QString::number(mass, 'f', 3);
    return QStringLiteral("%1 %2 \u00b7 %3").arg(grid.count())
        .arg(grid.count() == 1 ? QStringLiteral("patch") : QStringLiteral("patches"), shown);
}

PositionStrip::PositionStrip(const PanelPicture& picture, const Theme& theme, const WeightScale& scale,
                             bool patchChip)
    : patchChip_(patchChip) {
    const PatchGrid& grid = *picture.trace->grid;
    for (std::size_t position = 0; position < picture.trace->tokens.size(); ++position) {
        if (!grid.contains(position)) positions_.push_back(position);
    }
    if (empty()) return;
    PanelPicture part = reduced(picture, positions_);
    if (patchChip_) addPatchChip(part, picture);
    tokens_ = std::make_unique<TextPanel>(std::move(part), theme, scale);
}

double PositionStrip::layout(double width) { return tokens_ ? tokens_->layout(width) : 0; }

void PositionStrip::paint(QPainter& painter, const QRectF& visible) const {
    if (tokens_) tokens_->paint(painter, visible);
}

std::optional<std::size_t> PositionStrip::indexOf(std::size_t position) const {
    const auto found = std::lower_bound(positions_.begin(), positions_.end(), position);
    if (found == positions_.end() || *found != position) return std::nullopt;
    return static_cast<std::size_t>(found - positions_.begin());
}

std::optional<std::size_t> PositionStrip::positionAt(QPointF point) const {
    if (!tokens_) return std::nullopt;
    const auto key = tokens_->hit(point).key;
    if (!key || key->value >= positions_.size()) return std::nullopt;
    return positions_[key->value];
}

QRectF PositionStrip::boxOf(std::size_t position) const {
    const auto index = indexOf(position);
    return index ? tokens_->boxOf(*index) : QRectF();
}

void PositionStrip::setHover(std::optional<std::size_t> position) {
    if (!tokens_) return;
    const auto index = position ? indexOf(*position) : std::nullopt;
    tokens_->setHover(index ? std::optional(PanelHit{std::nullopt, KeyIndex(*index)}) : std::nullopt);
}

PictureTextPanel::PictureTextPanel(const PanelPicture& picture, const Theme& theme)
    : query_(picture.state.selection.query),
      strip_(picture, theme, WeightScale(picture.state.scale, picture.largestWeight, picture.row->weights),
             true) {}

PanelHit PictureTextPanel::hit(QPointF point) const {
    const auto position = strip_.positionAt(point);
    return position ? PanelHit{query_, KeyIndex(*position)} : PanelHit{};
}

void PictureTextPanel::setHover(std::optional<PanelHit> hover) {
    PanelPainter::setHover(hover);
    strip_.setHover(hover && hover->key ? std::optional(hover->key->value) : std::nullopt);
}

}  // namespace fovea::widgets
