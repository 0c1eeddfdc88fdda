// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/commands/command.h"

namespace fovea::app {

/// fovea bench [NAME]: timings of our own code as ratios against LibTorch in the same run.
/// Returns the exit code.
int runBench(const Arguments& arguments);

}  // namespace fovea::app
