// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QString>
#include <span>
#include <vector>

#include "core/session/document_state.h"

namespace fovea::widgets {

/// Viridis at `position` in [0, 1]; clamped. Perceptually uniform and safe for colour-blind people.
QColor viridis(double position);

/// Black or white, whichever reads better on `background` (relative luminance, WCAG).
QColor readableOn(const QColor& background);

/// Turns weights into positions on a colour map under one scale. The range is [0, largest].
/// Linear w/max; square root sqrt(w/max); log from max/10^4; rank: share of the smaller positive weights.
class WeightScale {
public:
    WeightScale(session::ColourScale scale, double largest, std::span<const double> weightsForRank = {});
    /// In [0, 1]; 0 for weights <= 0.
    double position(double weight) const;
    double largest() const { return largest_; }
    /// "linear", "square root", "log, 4 decades", "rank" for the legend.
    QString name() const;
    session::ColourScale kind() const { return kind_; }

private:
    session::ColourScale kind_;
    double largest_;
    std::vector<double> sorted_;
};

}  // namespace fovea::widgets
