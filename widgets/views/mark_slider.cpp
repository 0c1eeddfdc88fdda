// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/mark_slider.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {

constexpr double handleRadius = 7;
constexpr double grooveHalfHeight = 1.5;
constexpr double grooveY = 10;
constexpr double markTop = grooveY + handleRadius + 2;
constexpr double markLength = 4;

QFont smallFont(const QFont& font) {
    QFont small = font;
    small.setPointSizeF(font.pointSizeF() * 0.8);
    return small;
}

}  // namespace

MarkSlider::MarkSlider(SliderScale scale, QWidget* parent)
    : QSlider(Qt::Horizontal, parent), scale_(std::move(scale)) {
    setRange(0, scale_.steps());
    setSingleStep(std::max(1, scale_.steps() / 120));
    setPageStep(scale_.steps() / 20);
    setFocusPolicy(Qt::StrongFocus);
}

QSize MarkSlider::sizeHint() const {
    const QFontMetrics metrics(smallFont(font()));
    return {180, static_cast<int>(markTop + markLength) + metrics.height()};
}

QSize MarkSlider::minimumSizeHint() const { return {110, sizeHint().height()}; }

double MarkSlider::xOfFraction(double fraction) const {
    return handleRadius + 1 + fraction * (width() - 2 * (handleRadius + 1));
}

QPoint MarkSlider::handlePoint(int position) const {
    return {static_cast<int>(std::lround(xOfFraction(static_cast<double>(position) / scale_.steps()))),
            static_cast<int>(grooveY)};
}

int MarkSlider::positionAt(int x) const {
    const double span = std::max(1.0, width() - 2 * (handleRadius + 1));
    const double fraction = (x - handleRadius - 1) / span;
    return static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * scale_.steps()));
}

void MarkSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    setSliderDown(true);
    setValue(positionAt(event->pos().x()));
}

void MarkSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) setValue(positionAt(event->pos().x()));
}

void MarkSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) setSliderDown(false);
}

void MarkSlider::paintMarks(QPainter& painter, const QColor& ink) const {
    painter.setFont(smallFont(font()));
    const QFontMetricsF metrics(painter.font());
    painter.setPen(ink);
    for (const SliderMark& mark : scale_.marks()) {
        const double x = xOfFraction(scale_.fractionOf(mark.value));
        painter.drawLine(QPointF(x, markTop), QPointF(x, markTop + markLength));
        const double textWidth = metrics.horizontalAdvance(mark.text);
        const double left = std::clamp(x - textWidth / 2, 0.0, std::max(0.0, width() - textWidth));
        painter.drawText(QPointF(left, markTop + markLength + metrics.ascent() + 1), mark.text);
    }
}

void MarkSlider::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double left = xOfFraction(0);
    const double right = xOfFraction(1);
    const double x = handlePoint(value()).x();
    const QColor active = isEnabled() ? theme.accent : theme.mutedText;
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.frame);
    painter.drawRoundedRect(QRectF(left, grooveY - grooveHalfHeight, right - left, 2 * grooveHalfHeight), 1.5,
                            1.5);
    painter.setBrush(active);
    painter.drawRoundedRect(QRectF(left, grooveY - grooveHalfHeight, x - left, 2 * grooveHalfHeight), 1.5,
                            1.5);
    paintMarks(painter, theme.mutedText);
    if (hasFocus()) {
        QColor halo = active;
        halo.setAlphaF(0.25F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawEllipse(QPointF(x, grooveY), handleRadius + 2.5, handleRadius + 2.5);
    }
    painter.setPen(QPen(active, 2));
    painter.setBrush(theme.background);
    painter.drawEllipse(QPointF(x, grooveY), handleRadius - 1, handleRadius - 1);
}

}  // namespace fovea::widgets
