// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/segment_button.h"

#include <QPainter>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

SegmentButton::SegmentButton(const QString& text, QWidget* parent) : QPushButton(text, parent) {
    setCheckable(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize SegmentButton::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 18, metrics.height() + 10};
}

void SegmentButton::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool lit = isChecked() || hasFocus();
    QColor fill = theme.accent;
    fill.setAlphaF(isChecked() ? 0.14F : underMouse() ? 0.06F : 0.0F);
    painter.setPen(QPen(lit ? theme.accent : theme.frame, hasFocus() ? 1.6 : 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 5, 5);
    painter.setPen(!isEnabled() ? theme.mutedText : isChecked() ? theme.accent : theme.text);
    painter.drawText(rect(), Qt::AlignCenter, text());
}

}  // namespace fovea::widgets
