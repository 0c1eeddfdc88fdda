// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/cross_text_panel.h"

#include <algorithm>

#include "widgets/painters/side_marks.h"
#include "widgets/painters/token_box.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

constexpr double laneGap = 6;

QString targetTitle(std::span<const TokenLabel> tokens) {
    const bool written = std::ranges::any_of(tokens, &TokenLabel::generated);
    return written ? QStringLiteral("target \u00b7 written by the model") : QStringLiteral("target");
}

}  // namespace

CrossTextPanel::CrossTextPanel(PanelPicture picture, Theme theme)
    : picture_(picture),
      targets_(queryTokens(picture_)),
      theme_(theme),
      fonts_(PanelFonts::of(theme_)),
      source_(std::move(picture), std::move(theme)) {}

double CrossTextPanel::layout(double width) {
    targetTop_ = source_.layout(width) + laneGap;
    target_ = TokenFlow::arranged(targets_, fonts_, width, false, {{0, targetTitle(targets_)}});
    return targetTop_ + target_.height();
}

void CrossTextPanel::paint(QPainter& painter, const QRectF& visible) const {
    source_.paint(painter, visible);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(0, targetTop_);
    const Ink ink(painter, theme_);
    paintTarget(ink, visible.translated(0, -targetTop_));
    painter.restore();
}

void CrossTextPanel::paintTarget(const Ink& ink, const QRectF& visible) const {
    drawLaneTitles(ink, target_, fonts_, visible);
    const auto& more = picture_.state.selection.more;
    // Outlines reach a little beyond a line's box.
    const auto [firstLine, pastLine] = target_.linesWithin(visible.top() - 3, visible.bottom() + 3);
    for (std::size_t line = firstLine; line < pastLine; ++line) {
        const FlowLine& place = target_.lines()[line];
        for (std::size_t i = place.first; i < place.past; ++i) {
            drawPlainChip(ink, target_, i, tokenFrame(theme_),
                          isQuery(i) ? QBrush(theme_.accentFill) : QBrush(Qt::NoBrush));
        }
        for (std::size_t i = place.first; i < place.past; ++i) {
            const bool further = std::ranges::find(more, QueryIndex(i)) != more.end();
            const bool hovered = hover() && hover()->query == QueryIndex(i);
            const QRectF box = target_.tokens()[i].box;
            if (isQuery(i)) outlineToken(ink, box, theme_.accent, 2);
            else if (hovered) outlineToken(ink, box, theme_.text, 1.2);
            else if (further) outlineToken(ink, box, theme_.accent, 1.2);
        }
        for (std::size_t i = place.first; i < place.past; ++i) {
            const bool quiet = targets_[i].special || targets_[i].padding;
            drawTokenText(ink, target_.tokens()[i], fonts_, quiet ? theme_.mutedText : theme_.text,
                          isQuery(i), targets_[i].generated);
            if (isOnlyHere(picture_, targets_, i)) markOnlyHere(ink, target_.tokens()[i].box);
        }
    }
}

bool CrossTextPanel::isQuery(std::size_t index) const {
    return index == picture_.state.selection.query.value;
}

PanelHit CrossTextPanel::hit(QPointF point) const {
    if (point.y() < targetTop_) return source_.hit(point);
    const auto token = target_.tokenAt(point - QPointF(0, targetTop_));
    return token ? PanelHit{QueryIndex(*token), std::nullopt} : PanelHit{};
}

QRectF CrossTextPanel::queryBoxOf(std::size_t query) const {
    if (query >= target_.tokens().size()) return {};
    return target_.tokens()[query].box.translated(0, targetTop_);
}

void CrossTextPanel::setHover(std::optional<PanelHit> hover) {
    PanelPainter::setHover(hover);
    source_.setHover(hover);
}

}  // namespace fovea::widgets
