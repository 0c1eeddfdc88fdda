// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace fovea::app {

/// Decides from the first word what the program is: a console command, help, or the window on the
/// paths given, and runs it. The decision is made before any Qt application exists. Returns the exit
/// code.
int runCommandLine(int argc, char** argv);

}  // namespace fovea::app
