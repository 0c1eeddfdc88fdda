// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// What the elements of an npy file are.
struct NpyElement {
    std::optional<ElementType> number;  ///< nothing: text
    bool wideText = false;              ///< UTF-32, not bytes
    std::size_t bytes = 0;
    bool bigEndian = false;

    /// Bytes that a byte order turns around together.
    std::size_t unit() const { return wideText ? 4 : number ? bytes : 1; }
};

/// Reads a type as NumPy writes it, "<f4". Numbers of at most 64 bits and texts of fixed width are known; the
/// error names everything else as NumPy does ("complex64 arrays are not read") and starts with `source`.
Result<NpyElement> npyElement(std::string_view descr, std::string_view source);

}  // namespace fovea::io
