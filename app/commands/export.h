// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea export MODEL ... -o FIGURE.(svg|pdf|png)`: one panel as a figure, drawn by the painters of
/// the screen. Makes a QGuiApplication, offscreen. Returns the exit code.
int runExport(const Arguments& arguments);

}  // namespace fovea::app
