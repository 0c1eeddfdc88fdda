// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_box.h"

#include "widgets/painters/token_flow_layout.h"

namespace fovea::widgets {

namespace {

constexpr double cornerRadius = 4;

QPainterPath roundedBox(const QRectF& box, bool roundLeft, bool roundRight) {
    const double left = roundLeft ? cornerRadius : 0;
    const double right = roundRight ? cornerRadius : 0;
    QPainterPath path;
    path.moveTo(box.left() + left, box.top());
    path.lineTo(box.right() - right, box.top());
    if (right > 0) path.quadTo(box.topRight(), box.topRight() + QPointF(0, right));
    path.lineTo(box.right(), box.bottom() - right);
    if (right > 0) path.quadTo(box.bottomRight(), box.bottomRight() - QPointF(right, 0));
    path.lineTo(box.left() + left, box.bottom());
    if (left > 0) path.quadTo(box.bottomLeft(), box.bottomLeft() - QPointF(0, left));
    path.lineTo(box.left(), box.top() + left);
    if (left > 0) path.quadTo(box.topLeft(), box.topLeft() + QPointF(left, 0));
    path.closeSubpath();
    return path;
}

// Corners are round where neither a word nor a character goes on.
QPainterPath borderOf(const QRectF& box, const FlowToken& first, const FlowToken& last) {
    const bool openLeft = first.fromRight() ? last.joinsNext : first.joinsPrevious;
    const bool openRight = first.fromRight() ? first.joinsPrevious : last.joinsNext;
    // Half a pixel of background tells the tokens of one word apart.
    return roundedBox(box.adjusted(0.5, 0.5, -0.5, -0.5), !openLeft, !openRight);
}

}  // namespace

QPainterPath tokenBorder(const TokenFlow& flow, std::size_t index) {
    const FlowToken& token = flow.tokens()[index];
    return borderOf(token.box, token, token);
}

QPainterPath sharedBorder(const TokenFlow& flow, std::size_t index) {
    std::size_t first = index;
    std::size_t last = index;
    while (flow.tokens()[first].sharesPrevious) --first;
    while (flow.tokens()[last].sharesNext) ++last;
    return borderOf(flow.sharedBox(index), flow.tokens()[first], flow.tokens()[last]);
}

QRectF stripOf(const TokenFlow& flow, std::size_t index) {
    const FlowToken& token = flow.tokens()[index];
    const bool innerLeft = token.fromRight() ? token.sharesNext : token.sharesPrevious;
    const bool innerRight = token.fromRight() ? token.sharesPrevious : token.sharesNext;
    const double left = token.box.left() + (innerLeft ? 0.5 : 2);
    const double right = token.box.right() - (innerRight ? 0.5 : 2);
    return QRectF(left, token.box.bottom() - sharedStrip - 1.5, right - left, sharedStrip);
}

void drawPlainChip(const Ink& ink, const TokenFlow& flow, std::size_t index, const QColor& frame,
                   const QBrush& fill) {
    const FlowToken& token = flow.tokens()[index];
    QPainter& painter = ink.painter();
    if (!token.shares()) {
        painter.setPen(QPen(frame, 1));
        painter.setBrush(fill);
        painter.drawPath(tokenBorder(flow, index));
        return;
    }
    if (fill.style() != Qt::NoBrush) painter.fillRect(token.box.adjusted(1, 1.5, -1, -1.5), fill);
    painter.setPen(QPen(frame, 1));
    painter.setBrush(Qt::NoBrush);
    if (!token.sharesNext) painter.drawPath(sharedBorder(flow, index));
    if (!token.sharesPrevious) return;
    const double x = token.fromRight() ? token.box.right() : token.box.left();
    painter.drawLine(QLineF(x, token.box.bottom() - sharedStrip, x, token.box.bottom() - 1));
}

QColor tokenFrame(const Theme& theme) { return mixed(theme.frame, theme.mutedText, 0.2); }

void drawTokenText(const Ink& ink, const FlowToken& token, const PanelFonts& fonts, const QColor& colour,
                   bool bold, bool written) {
    const bool fits = bold && textWidth(fonts.bold, token.text) <= token.textRoom.width() - 3;
    if (!token.text.isEmpty())
        ink.textIn(token.textRoom, Qt::AlignHCenter, token.text, fits ? fonts.bold : fonts.body, colour);
    if (!written) return;
    const double y = token.textRoom.bottom() - (token.shares() ? 1.5 : 3);
    ink.painter().setPen(QPen(colour, 1.2, Qt::SolidLine, Qt::FlatCap));
    ink.painter().drawLine(QLineF(token.box.left() + 4, y, token.box.right() - 4, y));
}

void outlineToken(const Ink& ink, const QRectF& box, const QColor& colour, double width) {
    QPainter& painter = ink.painter();
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink.theme().background, 1.2));
    painter.drawRoundedRect(box.adjusted(0.9, 0.9, -0.9, -0.9), cornerRadius, cornerRadius);
    painter.setPen(QPen(colour, width));
    painter.drawRoundedRect(box.adjusted(-0.6, -0.6, 0.6, 0.6), cornerRadius + 1, cornerRadius + 1);
}

void drawLaneTitles(const Ink& ink, const TokenFlow& flow, const PanelFonts& fonts, const QRectF& visible) {
    for (const TokenFlow::Title& title : flow.titles()) {
        if (title.box.bottom() < visible.top() || title.box.top() > visible.bottom()) continue;
        const QRectF words = title.box.adjusted(0, 0, 0, -3);
        const QString text = elided(fonts.small, title.text, words.width());
        const double wide = textWidth(fonts.small, text) + 6;
        ink.textIn(words, title.mirrored ? Qt::AlignRight : Qt::AlignLeft, text, fonts.small,
                   ink.theme().mutedText);
        if (wide >= words.width()) continue;
        const double y = words.center().y();
        const double left = title.mirrored ? words.left() : words.left() + wide;
        const double right = title.mirrored ? words.right() - wide : words.right();
        ink.painter().setPen(QPen(ink.theme().frame, 1));
        ink.painter().drawLine(QLineF(left, y, right, y));
    }
}

}  // namespace fovea::widgets
