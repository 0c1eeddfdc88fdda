// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/text_panel.h"

#include <QPainterPath>
#include <algorithm>
#include <numeric>

#include "widgets/painters/interval_drawing.h"

namespace fovea::widgets {

namespace {

using session::WeightState;

constexpr double cornerRadius = 4;
constexpr double smallestNumber = 0.005;  // would be written as 0.00 or 0.01 out of thin air

/// A box whose corners are round only where a word begins or ends.
QPainterPath wordBox(const QRectF& box, bool roundLeft, bool roundRight) {
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

QPainterPath wordBox(const FlowToken& token, bool mirrored) {
    const bool openLeft = mirrored ? token.joinsNext : token.joinsPrevious;
    const bool openRight = mirrored ? token.joinsPrevious : token.joinsNext;
    // Half a pixel of background tells the tokens of one word apart.
    return wordBox(token.box.adjusted(0.5, 0.5, -0.5, -0.5), !openLeft, !openRight);
}

}  // namespace

TextPanel::TextPanel(PanelPicture picture, Theme theme, WeightScale scale)
    : picture_(std::move(picture)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)),
      scale_(std::move(scale)) {}

TextPanel::TextPanel(PanelPicture picture, Theme theme)
    : TextPanel(picture, std::move(theme),
                WeightScale(picture.state.scale, picture.largestWeight, picture.row->weights)) {}

double TextPanel::layout(double width) {
    flow_ = TokenFlow::arranged(picture_.trace->tokens, fonts_, width, picture_.row->interval.has_value());
    numbers_.assign(flow_.lines().size(), {});
    for (const FlowLine& line : flow_.lines()) placeNumbers(line);
    return flow_.height();
}

void TextPanel::placeNumbers(const FlowLine& line) {
    const std::vector<double>& weights = picture_.row->weights;
    std::vector<std::size_t> order(line.past - line.first);
    std::iota(order.begin(), order.end(), line.first);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return weights[a] > weights[b]; });

    std::vector<Number>& placed = numbers_[static_cast<std::size_t>(&line - flow_.lines().data())];
    const double height = textHeight(fonts_.small);
    for (const std::size_t index : order) {
        if (!(weights[index] > smallestNumber)) continue;
        const QString text = QString::number(weights[index], 'f', 2);
        const double width = textWidth(fonts_.small, text);
        const double wanted = flow_.tokens()[index].box.center().x() - width / 2;
        const double left = std::clamp(wanted, 0.0, std::max(0.0, flow_.width() - width));
        const QRectF place(left, line.numbers - height / 2, width, height);
        const bool free = std::none_of(placed.begin(), placed.end(), [&](const Number& other) {
            return other.place.adjusted(-3, 0, 3, 0).intersects(place);
        });
        if (free && left + width <= flow_.width()) placed.push_back({place, text});
    }
}

void TextPanel::paint(QPainter& painter, const QRectF& visible) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    // Outlines reach a little beyond a line's box.
    const auto [first, past] = flow_.linesWithin(visible.top() - 3, visible.bottom() + 3);
    for (std::size_t line = first; line < past; ++line) paintLine(ink, line);
    painter.restore();
}

void TextPanel::paintLine(const Ink& ink, std::size_t line) const {
    const FlowLine& place = flow_.lines()[line];
    const auto& interval = picture_.row->interval;
    if (interval) drawDensity(ink, flow_, line, *interval);
    for (std::size_t i = place.first; i < place.past; ++i) paintToken(ink, i);
    if (interval) drawBracket(ink, flow_, line, *interval);
    for (const Number& number : numbers_[line]) {
        ink.textIn(number.place, Qt::AlignLeft, number.text, fonts_.small, theme_.mutedText);
    }
    paintOutlines(ink, line);
}

void TextPanel::paintToken(const Ink& ink, std::size_t index) const {
    const FlowToken& token = flow_.tokens()[index];
    const QPainterPath box = wordBox(token, flow_.mirrored());
    const QRectF inner = token.box.adjusted(1.5, 1.5, -1.5, -1.5);
    const WeightState state = picture_.row->states[index];
    QPainter& painter = ink.painter();
    if (state == WeightState::Positive) {
        const QColor fill = viridis(scale_.position(picture_.row->weights[index]));
        painter.fillPath(box, fill);
        paintText(ink, index, picture_.trace->tokens[index].special ? mutedOn(fill) : readableOn(fill));
        return;
    }
    if (state == WeightState::Masked) ink.hatch(inner, mixed(theme_.maskedHatch, theme_.background, 0.45));
    if (state == WeightState::NotANumber) ink.cross(inner, mixed(theme_.invalid, theme_.background, 0.35));
    const QColor frame = state == WeightState::NotANumber ? theme_.invalid
                         : state == WeightState::Masked   ? theme_.maskedHatch
                                                          : mixed(theme_.frame, theme_.mutedText, 0.2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frame, 1));
    painter.drawPath(box);
    paintText(ink, index, state == WeightState::NotANumber ? theme_.text : theme_.mutedText);
}

void TextPanel::paintText(const Ink& ink, std::size_t index, const QColor& colour) const {
    const FlowToken& token = flow_.tokens()[index];
    // The box is measured for the regular face, so that pinning a query never moves the text.
    const bool bold = isQuery(index) && textWidth(fonts_.bold, token.text) <= token.box.width() - 3;
    ink.textIn(token.box, Qt::AlignHCenter, token.text, bold ? fonts_.bold : fonts_.body, colour);
}

void TextPanel::paintOutlines(const Ink& ink, std::size_t line) const {
    const FlowLine& place = flow_.lines()[line];
    const auto outline = [&](std::size_t index, const QColor& colour, double width) {
        const QRectF box = flow_.tokens()[index].box;
        QPainter& painter = ink.painter();
        painter.setBrush(Qt::NoBrush);
        // A ring of background keeps the outline apart from any fill.
        painter.setPen(QPen(theme_.background, 1.2));
        painter.drawRoundedRect(box.adjusted(0.9, 0.9, -0.9, -0.9), cornerRadius, cornerRadius);
        painter.setPen(QPen(colour, width));
        painter.drawRoundedRect(box.adjusted(-0.6, -0.6, 0.6, 0.6), cornerRadius + 1, cornerRadius + 1);
    };
    const std::size_t query = picture_.state.selection.query.value;
    for (const QueryIndex further : picture_.state.selection.more) {
        if (further.value >= place.first && further.value < place.past)
            outline(further.value, theme_.accent, 1.2);
    }
    if (query >= place.first && query < place.past) outline(query, theme_.accent, 2);
    if (!hover() || !hover()->key) return;
    const std::size_t hovered = hover()->key->value;
    if (hovered >= place.first && hovered < place.past && hovered != query)
        outline(hovered, theme_.text, 1.2);
}

bool TextPanel::isQuery(std::size_t index) const {
    return index == picture_.state.selection.query.value;
}

PanelHit TextPanel::hit(QPointF point) const {
    const auto token = flow_.tokenAt(point);
    if (!token) return {};
    return {picture_.state.selection.query, KeyIndex(*token)};
}

QRectF TextPanel::boxOf(std::size_t index) const {
    return index < flow_.tokens().size() ? flow_.tokens()[index].box : QRectF();
}

}  // namespace fovea::widgets
