// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/density_curve_panel.h"

#include <algorithm>
#include <cmath>

#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

constexpr double inset = 3;
constexpr double bracketRoom = 20;
constexpr double lowestPlot = 60;
constexpr double tallestPlot = 260;
constexpr double narrowestFull = 120;

double largestValue(const PanelPicture& picture, const std::vector<std::size_t>& tokens) {
    double largest = 0;
    for (const std::size_t token : tokens) largest = std::max(largest, picture.row->weights[token]);
    if (picture.row->interval) {
        for (const auto& sample : picture.row->interval->samples) {
            if (std::isfinite(sample.value)) largest = std::max(largest, sample.value);
        }
    }
    return largest > 0 ? largest : 1;
}

}  // namespace

DensityCurvePanel::DensityCurvePanel(PanelPicture picture, Theme theme)
    : picture_(std::move(picture)),
      keys_(keyTokens(picture_)),
      theme_(std::move(theme)),
      fonts_(PanelFonts::of(theme_)) {
    for (std::size_t i = 0; i < keys_.size(); ++i) {
        if (!keys_[i].padding) tokens_.push_back(i);
    }
    if (tokens_.empty()) tokens_.push_back(0);
    top_ = 1.05 * largestValue(picture_, tokens_);
}

double DensityCurvePanel::layout(double width) {
    const double line = std::ceil(textHeight(fonts_.small));
    const bool full = width >= narrowestFull;
    const double left = full ? std::ceil(textWidth(fonts_.small, QStringLiteral("0.0000"))) + 6 : inset;
    const double wide = std::max(width - left - inset, 1.0);
    const double high = std::clamp(std::round(width * 0.5), lowestPlot, tallestPlot);
    plot_ = QRectF(left, full ? line + 2 : inset, wide, high);
    const double cell = wide / static_cast<double>(tokens_.size());
    labelRoom_ = 0;
    if (full && cell >= line * 0.9) {
        for (const std::size_t token : tokens_) {
            labelRoom_ =
                std::max(labelRoom_, textWidth(fonts_.smallBold, tokenTextAt(keys_, token)));
        }
        labelRoom_ = std::min(std::ceil(labelRoom_), 80.0);
    }
    const double below = picture_.row->interval ? bracketRoom : 0;
    return plot_.bottom() + below + (full ? 6 + std::max(labelRoom_, line) + 4 : inset + 2);
}

bool DensityCurvePanel::isQuery(std::size_t key) const {
    return !hasTwoAxes(picture_) && key == picture_.state.selection.query.value;
}

double DensityCurvePanel::xOf(double tokens) const {
    return plot_.left() + plot_.width() * tokens / static_cast<double>(tokens_.size());
}

double DensityCurvePanel::yOf(double value) const {
    const double share = std::isfinite(value) ? std::clamp(value / top_, 0.0, 1.0) : 0;
    return plot_.bottom() - share * plot_.height();
}

void DensityCurvePanel::paint(QPainter& painter, const QRectF&) const {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const Ink ink(painter, theme_);
    paintAxes(ink);
    if (picture_.row->interval) {
        QPolygonF curve;
        for (const auto& sample : picture_.row->interval->samples)
            curve << QPointF(xOf(sample.x), yOf(sample.value));
        drawCurve(ink, curve, {xOf(0), plot_.bottom()},
                  {xOf(static_cast<double>(tokens_.size())), plot_.bottom()});
    }
    paintStems(ink);
    if (picture_.row->interval) paintIntervals(ink);
    paintLabels(ink);
    painter.restore();
}

void DensityCurvePanel::paintStems(const Ink& ink) const {
    QPainter& painter = ink.painter();
    const double cell = plot_.width() / static_cast<double>(tokens_.size());
    const double radius = std::clamp(cell * 0.2, 1.0, 3.0);
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const double weight = picture_.row->weights[tokens_[i]];
        if (!(weight > 0)) continue;
        const bool query = isQuery(tokens_[i]);
        const QColor colour = query ? theme_.accent : mixed(theme_.text, theme_.background, 0.25);
        const QPointF head(xOf(static_cast<double>(i) + 0.5), yOf(weight));
        painter.setPen(QPen(colour, std::clamp(cell * 0.15, 0.6, 1.6)));
        painter.drawLine(QLineF(head.x(), plot_.bottom(), head.x(), head.y()));
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        painter.drawEllipse(head, radius, radius);
    }
}

// Ends beyond the text get an arrow instead of a tick.
void DensityCurvePanel::paintIntervals(const Ink& ink) const {
    const session::IntervalEvaluation& interval = *picture_.row->interval;
    QPainter& painter = ink.painter();
    const auto length = static_cast<double>(tokens_.size());
    const auto bracket = [&](const Interval& of, double y, double width, bool dashed) {
        if (!(of.low <= of.high) || of.high < 0 || of.low > length) return;
        const double left = xOf(std::max(of.low, 0.0));
        const double right = xOf(std::min(of.high, length));
        QPen pen(theme_.accent, width, Qt::SolidLine, Qt::FlatCap);
        if (dashed) pen.setDashPattern({3, 2});
        painter.setPen(pen);
        painter.drawLine(QLineF(left, y, right, y));
        painter.setPen(QPen(theme_.accent, width));
        const auto end = [&](double x, bool inside, double outwards) {
            if (inside) return painter.drawLine(QLineF(x, y - 3, x, y + 3));
            painter.drawLine(QLineF(x, y, x - 4 * outwards, y - 3));
            painter.drawLine(QLineF(x, y, x - 4 * outwards, y + 3));
        };
        end(left, of.low >= 0, -1);
        end(right, of.high <= length, 1);
    };
    bracket(interval.shown, plot_.bottom() + 7, 1.6, !interval.bounded);
    bracket(interval.half, plot_.bottom() + 14, 1, interval.bounded);
    if (interval.mean < 0 || interval.mean > length) return;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme_.accent);
    const double x = xOf(interval.mean);
    painter.drawPolygon(
        QPolygonF({{x, plot_.bottom() + 2}, {x + 3, plot_.bottom() + 7}, {x - 3, plot_.bottom() + 7}}));
}

void DensityCurvePanel::paintAxes(const Ink& ink) const {
    QPainter& painter = ink.painter();
    painter.setPen(QPen(theme_.frame, 1));
    painter.drawLine(QLineF(plot_.bottomLeft(), plot_.bottomRight()));
    if (plot_.left() <= inset) return;
    const double line = std::ceil(textHeight(fonts_.small));
    const auto ticks = roundTicks(0, top_, static_cast<std::size_t>(std::max(2.0, plot_.height() / 40)));
    for (const double tick : ticks) {
        painter.setPen(QPen(mixed(theme_.frame, theme_.background, 0.4), 1));
        painter.drawLine(QLineF(plot_.left(), yOf(tick), plot_.right(), yOf(tick)));
        const QRectF box(0, yOf(tick) - line / 2, plot_.left() - 5, line);
        const QString label = tickLabel(tick, ticks.size() > 1 ? ticks[1] - ticks[0] : 1);
        ink.textIn(box, Qt::AlignRight, elided(fonts_.small, label, box.width()), fonts_.small,
                   theme_.mutedText);
    }
    const QString unit = (hasTwoAxes(picture_) ? QStringLiteral("source ") : QString()) + unitName(picture_);
    const QString name = picture_.row->interval
                             ? QStringLiteral("per %1: density (curve), weights (stems)").arg(unit)
                             : QStringLiteral("weight");
    ink.textIn({plot_.left(), 0, plot_.width(), line}, Qt::AlignLeft,
               elided(fonts_.small, name, plot_.width()), fonts_.small, theme_.mutedText);
}

void DensityCurvePanel::paintLabels(const Ink& ink) const {
    if (plot_.left() <= inset) return;
    QPainter& painter = ink.painter();
    const double line = std::ceil(textHeight(fonts_.small));
    const double top = plot_.bottom() + (picture_.row->interval ? bracketRoom : 0) + 4;
    if (labelRoom_ <= 0) {
        for (const double tick : roundTicks(0, static_cast<double>(tokens_.size()),
                                            static_cast<std::size_t>(plot_.width() / 50) + 1)) {
            const QString text = tickLabel(tick, 1);
            const double wide = textWidth(fonts_.small, text);
            const double left = std::clamp(xOf(tick) - wide / 2, 0.0, plot_.right() - wide);
            ink.textIn({left, top, wide, line}, Qt::AlignHCenter, text, fonts_.small, theme_.mutedText);
        }
        return;
    }
    const std::size_t hovered = hover() && hover()->key ? hover()->key->value : keys_.size();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const bool query = isQuery(tokens_[i]);
        const QFont& font = query ? fonts_.smallBold : fonts_.small;
        const QString text = elided(font, tokenTextAt(keys_, tokens_[i]), labelRoom_);
        painter.save();
        painter.translate(xOf(static_cast<double>(i) + 0.5), top);
        painter.rotate(-90);
        const QColor colour = query ? theme_.accent : tokens_[i] == hovered ? theme_.text : theme_.mutedText;
        ink.textIn({-labelRoom_, -line / 2, labelRoom_, line}, Qt::AlignRight, text, font, colour);
        painter.restore();
    }
}

PanelHit DensityCurvePanel::hit(QPointF point) const {
    const double share = (point.x() - plot_.left()) / plot_.width();
    if (!(share >= 0 && share < 1) || point.y() < 0) return {};
    const auto index = static_cast<std::size_t>(share * static_cast<double>(tokens_.size()));
    return {picture_.state.selection.query, KeyIndex(tokens_[std::min(index, tokens_.size() - 1)])};
}

QRectF DensityCurvePanel::boxOf(std::size_t index) const {
    const auto found = std::lower_bound(tokens_.begin(), tokens_.end(), index);
    if (found == tokens_.end() || *found != index) return {};
    const auto at = static_cast<double>(found - tokens_.begin());
    return {xOf(at), plot_.top(), plot_.width() / static_cast<double>(tokens_.size()), plot_.height()};
}

}  // namespace fovea::widgets
