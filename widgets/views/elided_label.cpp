// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/elided_label.h"

#include <QPainter>

namespace fovea::widgets {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
    if (text == text_) return;
    text_ = text;
    setAccessibleName(text);
    updateGeometry();
    update();
}

QSize ElidedLabel::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text_) + 2, metrics.height()};
}

QSize ElidedLabel::minimumSizeHint() const { return {24, sizeHint().height()}; }

void ElidedLabel::paintEvent(QPaintEvent*) {
    const QString shown = QFontMetrics(font()).elidedText(text_, Qt::ElideRight, width());
    setToolTip(shown == text_ ? QString() : text_);
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft, shown);
}

}  // namespace fovea::widgets
