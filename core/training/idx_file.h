// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/support/result.h"

namespace fovea::training {

/// An array of bytes from an idx file, in C order: (pictures, rows, columns) or (labels).
struct IdxArray {
    std::vector<std::size_t> shape;
    std::vector<std::uint8_t> values;
};

/// Reads an idx file of unsigned bytes, compressed by gzip or not [L98]:
///
///     0, 0, type (8: unsigned bytes), number of axes
///     extent of each axis, 4 bytes, most significant first
///     the elements, the last axis fastest
///
/// Errors name the file: it is missing, damaged gzip, of another type, of other than `axes` axes, an
/// array of more than 1 GiB, fewer or more bytes than its shape says. Nothing is allocated beyond
/// what the file really holds.
Result<IdxArray> readIdxFile(const std::filesystem::path& path, std::size_t axes);

}  // namespace fovea::training
