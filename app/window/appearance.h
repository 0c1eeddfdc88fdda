// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPalette>

#include "app/window/settings.h"
#include "widgets/view_models/theme.h"

namespace fovea::app {

/// The palette that gives Qt's own widgets the colours of `theme`.
QPalette paletteOf(const widgets::Theme& theme);

/// Makes the application light or dark, or gives it back to the system.
void applyAppearance(Appearance appearance);

}  // namespace fovea::app
