// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// One tensor as a safetensors header describes it; its bytes are [begin, end) of the data part.
struct TensorEntry {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::size_t> shape;
    std::size_t begin = 0;
    std::size_t end = 0;
};

/// A header in the order of the file.
struct SafetensorsHeader {
    std::vector<TensorEntry> tensors;
    Metadata metadata;
};

/// Reads the JSON of a header and checks each entry by itself: keys, kinds of the values, type,
/// shape, and that its bytes match both. Errors name the tensor; they start with `file`.
/// Cost: one pass over the text, O(tensors log tensors).
Result<SafetensorsHeader> parseSafetensorsHeader(std::string_view json, std::string_view file);

/// Checks that the tensors fill a data part of `dataSize` bytes without gaps or overlap.
Result<void> checkSafetensorsLayout(const SafetensorsHeader& header, std::size_t dataSize,
                                    std::string_view file);

}  // namespace fovea::io
