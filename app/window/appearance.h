// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>
#include <QWidget>

#include "app/window/settings.h"
#include "widgets/view_models/theme.h"

namespace fovea::app {

/// The palette that gives Qt's own widgets the colours of `theme`.
QPalette paletteOf(const widgets::Theme& theme);

/// Fusion derives the outline of inputs from the window's colour, which a dark window swallows: gives the
/// inputs below `root` an outline in the theme's frame colour.
void outlineInputs(QWidget& root, const widgets::Theme& theme);

/// Makes the application light or dark, or gives it back to the system.
void applyAppearance(Appearance appearance);

}  // namespace fovea::app
