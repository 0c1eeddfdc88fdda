// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// A floating-point array as read from an npy file, in C order and the machine's byte order,
/// whatever the file's were.
using FloatingArray = std::variant<Array<float>, Array<double>>;

/// Reads a file of that format, whatever its name, of float32 or float64 (float16 as float32); see
/// `readArrayFile`. Other types are refused by name.
Result<FloatingArray> readNpy(const std::filesystem::path& path);

/// Writes version 1.0 npy of float16, float32 or float64, C order, little-endian, atomically.
Result<void> writeNpy(const std::filesystem::path& path, const ArrayView& array);
Result<void> writeNpy(const std::filesystem::path& path, const FloatingArray& array);

/// One named member of an npz file.
struct NpzEntry {
    std::string name;
    std::variant<Array<float>, Array<double>, Array<std::int64_t>, std::vector<std::string>> array;
};

/// Writes an npz file (a zip of npy members; strings as NumPy's fixed-width Unicode), atomically.
Result<void> writeNpz(const std::filesystem::path& path, std::span<const NpzEntry> entries);

}  // namespace fovea::io
