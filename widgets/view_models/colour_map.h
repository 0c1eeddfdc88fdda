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

/// WCAG 2 relative luminance, 0 (black) to 1 (white).
double relativeLuminance(const QColor& colour);

/// WCAG 2 contrast ratio, 1 to 21; text needs 4.5.
double contrast(const QColor& first, const QColor& second);

/// Black or white, whichever reads better on `background` (relative luminance, WCAG).
QColor readableOn(const QColor& background);

/// Turns weights into positions on a colour map under one scale. The range is [0, largest].
/// Linear w/max; square root sqrt(w/max); log from max/10^4; rank: share of the smaller positive weights
/// (among a regular sample of at least 65536 when there are more).
class WeightScale {
public:
    WeightScale(session::ColourScale scale, double largest, std::span<const double> weightsForRank = {});
    /// In [0, 1]; 0 for weights <= 0.
    double position(double weight) const;
    /// A weight at `position`: the inverse, for the ticks of a legend.
    double weightAt(double position) const;
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
