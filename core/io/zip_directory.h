// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::io {

/// One file of a zip archive, as its directory describes it.
struct ZipEntry {
    std::string_view name;  ///< bytes of the archive
    std::uint64_t header = 0;  ///< where the entry's own header begins
    std::uint64_t packed = 0;  ///< bytes that it takes in the archive
    std::uint64_t unpacked = 0;
    std::uint16_t method = 0;  ///< 0: stored as it is
    bool encrypted = false;
};

/// Reads the directory of a zip archive that lies in memory, with the extension for 64-bit sizes. The
/// entries' names belong to `bytes`. Errors start with `file`: no directory, one that lies outside the
/// archive, more entries than its bytes can hold, a name that comes twice. Cost O(entries).
Result<std::vector<ZipEntry>> readZipDirectory(std::span<const std::byte> bytes, std::string_view file);

/// The content of an entry, which must be stored as it is; a view into `bytes`. Errors start with `file`
/// and name the entry: packed or encrypted content, bytes outside the archive, a header of its own that is
/// none.
Result<std::span<const std::byte>> storedContent(std::span<const std::byte> bytes, const ZipEntry& entry,
                                                 std::string_view file);

}  // namespace fovea::io
