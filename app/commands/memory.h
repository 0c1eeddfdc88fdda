// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// `fovea memory --states H.npy ... -o OUT.npz`: the fixed-size memory of linear or gated linear attention,
/// and lookups in it. LibTorch is not loaded. Returns the exit code.
int runMemory(const Arguments& arguments);

}  // namespace fovea::app
