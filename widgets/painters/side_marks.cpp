// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/side_marks.h"

#include <algorithm>

namespace fovea::widgets {

namespace {
constexpr double thickness = 3;
}  // namespace

bool isOnlyHere(const PanelPicture& picture, std::span<const TokenLabel> tokens, std::size_t index) {
    const bool ofTarget = picture.trace && !picture.trace->targetTokens.empty() &&
                          tokens.data() == picture.trace->targetTokens.data();
    const auto& marks = ofTarget ? picture.context.onlyHereOfTarget : picture.context.onlyHere;
    return index < marks.size() && marks[index];
}

// A ring of background keeps the bar apart from any fill.
void markOnlyHere(const Ink& ink, const QRectF& box) {
    const QRectF bar(box.left() + 4, box.bottom() - thickness - 1.5, box.width() - 8, thickness);
    if (bar.width() <= 0) return;
    QPainter& painter = ink.painter();
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink.theme().background);
    painter.drawRoundedRect(bar.adjusted(-1, -1, 1, 1), 2, 2);
    painter.setBrush(ink.theme().warning);
    painter.drawRoundedRect(bar, 1.5, 1.5);
}

QStringList sideLegend(const PanelPicture& picture) {
    const auto any = [](const std::vector<bool>& marks) {
        return std::find(marks.begin(), marks.end(), true) != marks.end();
    };
    const bool drawn = picture.state.view == session::View::Text;
    if (!drawn || !(any(picture.context.onlyHere) || any(picture.context.onlyHereOfTarget))) return {};
    return {QStringLiteral("orange bar below: only in this text")};
}

}  // namespace fovea::widgets
