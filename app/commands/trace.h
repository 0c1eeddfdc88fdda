// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea trace MODEL ... -o OUT.safetensors`: runs a model, with a mechanism inside it on request,
/// and writes the attention of every site and the outputs. Returns the exit code.
int runTrace(const Arguments& arguments);

}  // namespace fovea::app
