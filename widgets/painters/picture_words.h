// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// Words and numbers of pictures that read-outs, legends and files share. Lengths are in patches, x to the
/// right, y down; angles in degrees from +x towards +y.

/// A token's text; "patch 3,5" for a patch (row, column from 0); its number where there are no labels.
QString queryName(const PanelPicture& picture, std::size_t query);
QString keyName(const PanelPicture& picture, std::size_t key);

/// "query “it”", "query patch 3,5", or "mean of 3 queries".
QString queriesText(const PanelPicture& picture);

/// What a legend says of written tokens.
QStringList textLegend(const PanelPicture& picture);

/// An ellipse of the unit square in patches.
Ellipse inPatches(const Ellipse& ellipse, const PatchGrid& grid);
/// "column 12.3, row 4.5": the place of an ellipse's centre; the first patch covers 0 to 1.
QString placeInPatches(const Ellipse& ellipse, const PatchGrid& grid);
/// "3.10 × 1.70 patches at 34°": semi-axes.
QString axesInPatches(const Ellipse& ellipse, const PatchGrid& grid);

/// Patches with a positive weight.
std::size_t patchSupport(const session::RowEvaluation& row, const PatchGrid& grid);

/// What solid and dashed lines mean; empty without ellipses.
QStringList ellipseLegend(const PanelPicture& picture);

/// The same for the density view, with what its dots or stems are.
QStringList densityLegend(const PanelPicture& picture);

/// A picture's part of the line under a panel: support, mass beside the patches, the densities.
QStringList pictureReadout(const session::RowEvaluation& row);

}  // namespace fovea::widgets
