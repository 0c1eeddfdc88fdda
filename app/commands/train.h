// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea train`: trains what a recipe describes and writes a model folder.
int runTrain(const Arguments& arguments);

}  // namespace fovea::app
