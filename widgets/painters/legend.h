// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <array>
#include <span>

#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

/// What a legend says of one or several panels that share their colour scale.
struct LegendContent {
    QString quantity;  ///< "weight", "mass of a token", ...
    WeightScale scale;
    /// Whether each occurs: exact zero, masked, not a number, empty row.
    std::array<bool, 4> occurs{};
    QStringList notes{};    ///< what solid and dashed lines, and underlined tokens, mean
    QString window{};       ///< of the mask: "causal, window 6"; usually empty
    bool colours = true;     ///< false: a plot that no colour scale explains
    bool states = true;      ///< false: a plot of positive weights alone
    bool onPicture = false;  ///< weights lie over a picture, which an exact zero leaves as it is

    /// `panels` is not empty and its members shareScale.
    static LegendContent of(std::span<const PanelPicture> panels);
};

/// True when one legend holds for both: same scale and same top. Ranks and densities are each panel's own.
bool shareScale(const PanelPicture& first, const PanelPicture& second);

double paintLegend(QPainter& painter, const LegendContent& content, const Theme& theme, double width);
double legendHeight(const LegendContent& content, const Theme& theme, double width);

}  // namespace fovea::widgets
