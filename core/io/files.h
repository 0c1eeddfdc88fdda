// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/support/result.h"

namespace fovea::io {

/// Whole text of a file of at most `limit` bytes; the error names the file.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

/// Parses JSON with bounded depth (128); the error names the file and the place in it. Invalid
/// UTF-8 is refused.
Result<nlohmann::json> readJsonFile(const std::filesystem::path& path);

/// Writes through `write(temporaryPath)` beside the target, then renames, so that the target is
/// either complete or untouched. The temporary is removed when `write` fails.
Result<void> writeAtomically(const std::filesystem::path& path,
                             const std::function<Result<void>(const std::filesystem::path&)>& write);

/// The same for content that is already in memory.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

}  // namespace fovea::io
