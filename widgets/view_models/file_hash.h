// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/support/result.h"

namespace fovea::widgets {

/// SHA-256 of a file's bytes as 64 hex digits. About a second for 500 MB.
Result<std::string> fileHash(const std::filesystem::path& path);

}  // namespace fovea::widgets
