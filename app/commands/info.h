// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea info MODEL [--json]`: what a model folder holds, from its configuration and tensor headers.
/// Nothing is run and LibTorch is not loaded. Returns the exit code.
int runInfo(const Arguments& arguments);

}  // namespace fovea::app
