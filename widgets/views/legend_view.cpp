// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/legend_view.h"

#include <QImage>
#include <QPainter>
#include <cmath>

#include "widgets/painters/panel_painter.h"

namespace fovea::widgets {

LegendView::LegendView(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAccessibleName(tr("Legend"));
}

void LegendView::setPicture(const PanelPicture& picture) {
    picture_ = picture;
    if (heightForWidth(width()) != height()) updateGeometry();
    update();
}

// The painter knows the height only by drawing: on an image of one pixel that costs next to nothing.
int LegendView::heightForWidth(int width) const {
    QImage scratch(1, 1, QImage::Format_ARGB32_Premultiplied);
    QPainter painter(&scratch);
    return static_cast<int>(
        std::ceil(paintLegend(painter, picture_, Theme::following(palette(), font()), width)));
}

QSize LegendView::sizeHint() const { return {200, heightForWidth(std::max(width(), 120))}; }

void LegendView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintLegend(painter, picture_, Theme::following(palette(), font()), width());
}

}  // namespace fovea::widgets
