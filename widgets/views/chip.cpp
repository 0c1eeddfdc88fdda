// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/chip.h"

#include <QPainter>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {
constexpr int sidePadding = 10;
constexpr int verticalPadding = 3;
}  // namespace

Chip::Chip(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); }

void Chip::setText(const QString& text, bool warns) {
    if (text == text_ && warns == warns_) return;
    text_ = text;
    warns_ = warns;
    setToolTip(text);
    setAccessibleName(tr("Mechanism: %1").arg(text));
    updateGeometry();
    update();
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text_) + 2 * sidePadding + 1, metrics.height() + 2 * verticalPadding};
}

QSize Chip::minimumSizeHint() const { return {60, sizeHint().height()}; }

void Chip::paintEvent(QPaintEvent*) {
    if (text_.isEmpty()) return;
    const Theme theme = Theme::following(palette(), font());
    const QColor ink = warns_ ? theme.warning : theme.accent;
    QColor fill = ink;
    fill.setAlphaF(0.12F);
    QColor line = ink;
    line.setAlphaF(0.35F);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QFontMetrics metrics(font());
    const int width = std::min(this->width(), sizeHint().width());
    const QRectF pill = QRectF(0, 0, width, height()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(line);
    painter.setBrush(fill);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(ink);
    const QRect inner = QRect(0, 0, width, height()).adjusted(sidePadding, 0, -sidePadding, 0);
    painter.drawText(inner, Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(text_, Qt::ElideRight, inner.width()));
}

}  // namespace fovea::widgets
