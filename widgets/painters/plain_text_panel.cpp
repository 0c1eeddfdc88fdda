// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/plain_text_panel.h"

#include "widgets/painters/side_marks.h"
#include "widgets/painters/token_box.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {
constexpr double gapBelowNote = 6;
}  // namespace

PlainTextPanel::PlainTextPanel(PanelPicture picture, Theme theme)
    : picture_(std::move(picture)),
      tokens_(queryTokens(picture_)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)) {}

double PlainTextPanel::layout(double width) {
    note_ = wrapped(fonts_.body, printable(picture_.context.note), width);
    noteHeight_ = static_cast<double>(note_.size()) * textHeight(fonts_.body) + gapBelowNote;
    flow_ = TokenFlow::arranged(tokens_, fonts_, width, false);
    return noteHeight_ + flow_.height();
}

void PlainTextPanel::paint(QPainter& painter, const QRectF& visible) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    double top = 0;
    for (const QString& line : note_) {
        const QRectF box(0, top, textWidth(fonts_.body, line), textHeight(fonts_.body));
        ink.textIn(box, Qt::AlignLeft, line, fonts_.body, theme_.warning);
        top += box.height();
    }
    painter.translate(0, noteHeight_);
    const auto [first, past] =
        flow_.linesWithin(visible.top() - noteHeight_ - 3, visible.bottom() - noteHeight_ + 3);
    for (std::size_t line = first; line < past; ++line) {
        for (std::size_t i = flow_.lines()[line].first; i < flow_.lines()[line].past; ++i) {
            const bool hovered = hover() && hover()->query && hover()->query->value == i;
            drawPlainChip(ink, flow_, i, hovered ? theme_.text : tokenFrame(theme_), Qt::NoBrush);
        }
        for (std::size_t i = flow_.lines()[line].first; i < flow_.lines()[line].past; ++i) {
            const FlowToken& token = flow_.tokens()[i];
            drawTokenText(ink, token, fonts_, tokens_[i].special ? theme_.mutedText : theme_.text, false,
                          false);
            if (isOnlyHere(picture_, tokens_, i)) markOnlyHere(ink, token.box);
        }
    }
    painter.restore();
}

PanelHit PlainTextPanel::hit(QPointF point) const {
    const auto token = flow_.tokenAt(point - QPointF(0, noteHeight_));
    if (!token) return {};
    return {QueryIndex(*token), std::nullopt};
}

QRectF PlainTextPanel::boxOf(std::size_t index) const {
    if (index >= flow_.tokens().size()) return {};
    return flow_.tokens()[index].box.translated(0, noteHeight_);
}

}  // namespace fovea::widgets
