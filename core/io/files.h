// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "core/support/result.h"

namespace fovea::io {

/// Whole text of a regular file or pipe of at most `limit` bytes; the error names the file.
Result<std::string> readTextFile(const std::filesystem::path& path, std::size_t limit = std::size_t{1} << 30);

/// Parses JSON with bounded depth (128); the error names the file and the place in it. Invalid
/// UTF-8 is refused. Of a key that comes twice, the last value counts. Memory: some 30 times the text
/// at worst, which `limit` (in bytes) bounds.
Result<nlohmann::json> readJsonFile(const std::filesystem::path& path,
                                    std::size_t limit = std::size_t{1} << 27);

/// The same for text in memory; `source` is the name that errors give.
Result<nlohmann::json> parseJson(std::string_view text, std::string_view source);

/// Whether what the JSON library makes of a text fits the memory that is free. Without memory even taking a
/// document down ends the process, so that looking ahead is the only way. `source` is the name that the error
/// gives. Cost: one pass over a text that may not fit.
Result<void> checkJsonFitsMemory(std::string_view text, std::string_view source);

/// Writes through `write(temporaryPath)` beside the target, then renames, so that the target is
/// either complete or untouched. The temporary has the target's extension and is removed when
/// `write` fails; `write` names the target, not the temporary, in its errors. An existing target
/// keeps its permissions, a symbolic link stays one, and a device or pipe is written through.
Result<void> writeAtomically(const std::filesystem::path& path,
                             const std::function<Result<void>(const std::filesystem::path&)>& write);

/// The same for content that is already in memory.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The same for content that lies in several parts, written one after the other.
Result<void> writeFileAtomically(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// From now on SIGINT, SIGTERM and SIGHUP remove the temporaries of writes in progress before they
/// end the process as they would have. For `main`, once; signals that are ignored stay ignored.
void removeTemporariesOnInterrupt();

/// Removes the temporaries of writes in progress now, before an exit that runs no destructors.
/// Async-signal-safe.
void removeTemporaries() noexcept;

}  // namespace fovea::io
