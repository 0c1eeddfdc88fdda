// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea evaluate`: measures a trained folder again.
int runEvaluate(const Arguments& arguments);

}  // namespace fovea::app
