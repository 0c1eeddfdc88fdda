// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/drop_overlay.h"

#include <QPainter>

#include "widgets/view_models/theme.h"

namespace fovea::widgets {

namespace {
constexpr int margin = 8;
}  // namespace

DropOverlay::DropOverlay(QWidget* over) : QWidget(over) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
}

void DropOverlay::offer(const QStringList& zones) {
    zones_ = zones;
    lit_.reset();
    setGeometry(parentWidget()->rect());
    setAccessibleDescription(zones.join(QStringLiteral(", ")));
    raise();
    setVisible(!zones.isEmpty());
}

void DropOverlay::light(std::optional<int> zone) {
    if (lit_ == zone) return;
    lit_ = zone;
    update();
}

QRect DropOverlay::boxOf(int zone) const {
    const int count = std::max(1, static_cast<int>(zones_.size()));
    const int left = width() * zone / count;
    const int right = width() * (zone + 1) / count;
    return QRect(left, 0, right - left, height());
}

std::optional<int> DropOverlay::zoneAt(QPoint point) const {
    for (int zone = 0; zone < zones_.size(); ++zone) {
        if (boxOf(zone).contains(point)) return zone;
    }
    return std::nullopt;
}

void DropOverlay::paintEvent(QPaintEvent*) {
    const Theme theme = Theme::following(palette(), font());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QFont large = font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    painter.setFont(large);
    for (int zone = 0; zone < zones_.size(); ++zone) {
        const QRect box = boxOf(zone).adjusted(margin, margin, -margin, -margin);
        const bool lit = lit_ == zone;
        QColor fill = lit ? theme.accentFill : theme.background;
        fill.setAlphaF(0.93F);
        painter.setBrush(fill);
        painter.setPen(QPen(lit ? theme.accent : theme.frame, lit ? 2.5 : 1.5, Qt::DashLine));
        painter.drawRoundedRect(QRectF(box), 8, 8);
        painter.setPen(lit ? theme.accent : theme.text);
        painter.drawText(box.adjusted(16, 16, -16, -16), Qt::AlignCenter | Qt::TextWordWrap, zones_[zone]);
    }
}

}  // namespace fovea::widgets
