// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea attend SCORES ... -o OUT.npy`: α-entmax along the last axis of an array. LibTorch is not
/// loaded. Returns the exit code.
int runAttend(const Arguments& arguments);

}  // namespace fovea::app
