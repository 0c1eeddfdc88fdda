// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace fovea::app {

/// Opens the main window and runs it until it is closed; the exit status. `paths` are model folders
/// or files inside one, of which two are compared; none shows the welcome page. The window is painted before
/// LibTorch or a model is touched. `argc` and `argv` are Qt's, and must outlive the call.
int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& paths);

}  // namespace fovea::app
