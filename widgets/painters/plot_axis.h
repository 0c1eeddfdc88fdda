// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPolygonF>
#include <QString>
#include <vector>

#include "widgets/painters/ink.h"

namespace fovea::widgets {

/// Round values from `low` to `high`, 1, 2 or 5 times a power of ten apart, at most `most` of them. Empty
/// where there is no range.
std::vector<double> roundTicks(double low, double high, std::size_t most);

/// A number beside an axis: as few digits as tell the ticks `step` apart.
QString tickLabel(double value, double step);

/// A curve over its base line, filled; points from left to right (or from top to bottom).
void drawCurve(const Ink& ink, const QPolygonF& curve, QPointF firstBase, QPointF lastBase);

}  // namespace fovea::widgets
