// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/plot_axis.h"

#include <algorithm>
#include <cmath>

namespace fovea::widgets {

std::vector<double> roundTicks(double low, double high, std::size_t most) {
    if (!(high > low) || most == 0 || !std::isfinite(high - low)) return {};
    const double rough = (high - low) / static_cast<double>(most);
    const double decade = std::pow(10, std::floor(std::log10(rough)));
    double step = 10 * decade;
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * decade >= rough) {
            step = factor * decade;
            break;
        }
    }
    std::vector<double> ticks;
    for (double at = std::ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; ++at)
        ticks.push_back(at * step);
    return ticks;
}

QString tickLabel(double value, double step) {
    const int digits = step >= 1 ? 0 : std::min(9, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
    return QString::number(value, 'f', digits).replace(QLatin1Char('-'), QChar(u'\u2212'));
}

void drawCurve(const Ink& ink, const QPolygonF& curve, QPointF firstBase, QPointF lastBase) {
    if (curve.size() < 2) return;
    QPainter& painter = ink.painter();
    QPolygonF area = curve;
    area << lastBase << firstBase;
    painter.setPen(Qt::NoPen);
    painter.setBrush(ink.theme().accentFill);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(ink.theme().accent, 1.4, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin));
    painter.drawPolyline(curve);
    painter.setPen(QPen(ink.theme().frame, 1));
    painter.drawLine(QLineF(firstBase, lastBase));
}

}  // namespace fovea::widgets
