// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::io {

/// What the dictionary of an npy header says.
struct NpyHeader {
    std::string descr;  ///< type as NumPy writes it, "<f4"; empty for a structured type (a list)
    bool fortranOrder = false;
    std::vector<std::size_t> shape;
};

/// Parses the literal {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: exactly these
/// three keys in any order, as NumPy demands. The error starts with `file`. O(length).
Result<NpyHeader> parseNpyHeader(std::string_view literal, std::string_view file);

/// The bytes of a version 1.0 npy file before its data, padded to a multiple of 64; C order.
std::string npyHeaderBytes(std::string_view descr, std::span<const std::size_t> shape);

}  // namespace fovea::io
