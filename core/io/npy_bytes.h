// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>

#include "core/io/array_file.h"
#include "core/support/result.h"

namespace fovea::io {

/// Bytes of a file in memory, with what keeps them there.
struct OwnedBytes {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
};

/// An npy file in memory, whatever its element type; `owner` keeps the numbers.
struct NpyContent {
    FileArray array;
    std::shared_ptr<const void> owner;
};

/// Format versions 1.0 to 3.0, either byte order, C or Fortran order. The numbers of a result are the file's
/// own bytes where these lie as wanted (C order, little-endian), else a copy. Errors start with `source` and
/// name types that are not read, shapes whose product overflows, and lengths that are not the header's.
Result<NpyContent> npyFromBytes(const OwnedBytes& file, std::string_view source);

}  // namespace fovea::io
