// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea density ... --json`: continuous attention in one dimension, from a mean and a scale or from
/// discrete weights. Returns the exit code.
int runDensity(const Arguments& arguments);

}  // namespace fovea::app
