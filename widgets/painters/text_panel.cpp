// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/text_panel.h"

#include <algorithm>
#include <numeric>

#include "widgets/painters/interval_drawing.h"
#include "widgets/painters/side_marks.h"
#include "widgets/painters/token_box.h"
#include "widgets/view_models/panel_axes.h"

namespace fovea::widgets {

namespace {

using session::WeightState;

constexpr double smallestNumber = 0.005;  // would be written as 0.00 or 0.01 out of thin air

}  // namespace

TextPanel::TextPanel(PanelPicture picture, Theme theme, WeightScale scale)
    : picture_(std::move(picture)),
      tokens_(keyTokens(picture_)),
      holdsQueries_(!hasTwoAxes(picture_)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)),
      scale_(std::move(scale)) {}

TextPanel::TextPanel(PanelPicture picture, Theme theme)
    : TextPanel(picture, std::move(theme),
                WeightScale(picture.state.scale, picture.largestWeight, picture.row->weights)) {}

double TextPanel::layout(double width) {
    flow_ = TokenFlow::arranged(tokens_, fonts_, width, picture_.row->interval.has_value(), lanes());
    numbers_.assign(flow_.lines().size(), {});
    for (const FlowLine& line : flow_.lines()) placeNumbers(line);
    return flow_.height();
}

std::vector<FlowLane> TextPanel::lanes() const {
    if (!holdsQueries_) return {{0, QStringLiteral("source")}};
    const std::size_t second = secondTextOf(tokens_);
    if (second == 0) return {};
    return {{0, QStringLiteral("first text")}, {second, QStringLiteral("second text")}};
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
    drawLaneTitles(ink, flow_, fonts_, visible);
    painter.restore();
}

void TextPanel::paintLine(const Ink& ink, std::size_t line) const {
    const FlowLine& place = flow_.lines()[line];
    const auto& interval = picture_.row->interval;
    if (interval) drawDensity(ink, flow_, line, *interval);
    for (std::size_t i = place.first; i < place.past; ++i) paintBox(ink, i);
    paintOutlines(ink, line);
    // Letters may reach into the box beside theirs, and an outline must not hide a part of one.
    for (std::size_t i = place.first; i < place.past; ++i) {
        paintText(ink, i);
        if (isOnlyHere(picture_, tokens_, i)) markOnlyHere(ink, flow_.tokens()[i].box);
    }
    if (interval) drawBracket(ink, flow_, line, *interval);
    for (const Number& number : numbers_[line]) {
        ink.textIn(number.place, Qt::AlignLeft, number.text, fonts_.small, theme_.mutedText);
    }
}

void TextPanel::paintBox(const Ink& ink, std::size_t index) const {
    if (!flow_.tokens()[index].shares()) {
        paintState(ink, index, tokenBorder(flow_, index));
        return;
    }
    QPainterPath strip;
    strip.addRect(stripOf(flow_, index));
    paintState(ink, index, strip);
    if (flow_.tokens()[index].sharesNext) return;
    ink.painter().setBrush(Qt::NoBrush);
    ink.painter().setPen(QPen(tokenFrame(theme_), 1));
    ink.painter().drawPath(sharedBorder(flow_, index));
}

void TextPanel::paintState(const Ink& ink, std::size_t index, const QPainterPath& box) const {
    const WeightState state = picture_.row->states[index];
    QPainter& painter = ink.painter();
    if (state == WeightState::Positive) return painter.fillPath(box, fillOf(index));
    const QRectF inner = box.boundingRect().adjusted(1, 1, -1, -1);
    if (state == WeightState::Masked) ink.hatch(inner, mixed(theme_.maskedHatch, theme_.background, 0.45));
    if (state == WeightState::NotANumber) ink.cross(inner, mixed(theme_.invalid, theme_.background, 0.35));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(frameOf(state), 1));
    painter.drawPath(box);
}

QColor TextPanel::fillOf(std::size_t index) const {
    return viridis(scale_.position(picture_.row->weights[index]));
}

QColor TextPanel::frameOf(WeightState state) const {
    return state == WeightState::NotANumber ? theme_.invalid
           : state == WeightState::Masked   ? theme_.maskedHatch
                                            : tokenFrame(theme_);
}

// A shared character stands on the background, above the colours of its parts.
QColor TextPanel::inkOf(std::size_t index) const {
    const auto& states = picture_.row->states;
    if (flow_.tokens()[index].shares()) {
        bool seen = false;
        for (std::size_t i = index;; ++i) {
            seen = seen || states[i] == WeightState::Positive || states[i] == WeightState::NotANumber;
            if (!flow_.tokens()[i].sharesNext) break;
        }
        return seen ? theme_.text : theme_.mutedText;
    }
    if (states[index] != WeightState::Positive)
        return states[index] == WeightState::NotANumber ? theme_.text : theme_.mutedText;
    const QColor fill = fillOf(index);
    return tokens_[index].special ? mutedOn(fill) : readableOn(fill);
}

void TextPanel::paintText(const Ink& ink, std::size_t index) const {
    drawTokenText(ink, flow_.tokens()[index], fonts_, inkOf(index), isQuery(index), tokens_[index].generated);
}

void TextPanel::paintOutlines(const Ink& ink, std::size_t line) const {
    const FlowLine& place = flow_.lines()[line];
    const auto outline = [&](std::size_t index, const QColor& colour, double width) {
        if (index < place.first || index >= place.past) return;
        outlineToken(ink, flow_.tokens()[index].box, colour, width);
    };
    if (holdsQueries_) {
        for (const QueryIndex further : picture_.state.selection.more)
            outline(further.value, theme_.accent, 1.2);
        outline(picture_.state.selection.query.value, theme_.accent, 2);
    }
    if (!hover() || !hover()->key) return;
    const std::size_t hovered = hover()->key->value;
    if (!isQuery(hovered)) outline(hovered, theme_.text, 1.2);
}

bool TextPanel::isQuery(std::size_t index) const {
    return holdsQueries_ && index == picture_.state.selection.query.value;
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
