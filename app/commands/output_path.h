// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"

namespace fovea::app {

/// Looks whether a file can be written at `path` before any work is done for it. Errors: a directory
/// or a device, a folder that is missing or not writable.
Result<void> checkOutputPath(const std::filesystem::path& path);

}  // namespace fovea::app
