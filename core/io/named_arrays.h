// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::io {

/// Element types that files of named arrays hold.
enum class ElementType { Bool, U8, I8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64 };

/// Bytes of one element.
std::size_t elementSize(ElementType type);

/// Name as in safetensors headers: "F32", "BF16", ...
std::string_view elementTypeName(ElementType type);

/// The type of that name in safetensors headers, where it is one of ours.
std::optional<ElementType> elementTypeNamed(std::string_view name);

/// A view of one array in C order, little-endian. The bytes belong to whoever opened the file.
struct ArrayView {
    ElementType type = ElementType::F32;
    std::vector<std::size_t> shape;
    std::span<const std::byte> bytes;
};

/// Number of elements of a shape; the caller has checked it against overflow.
std::size_t elementCount(std::span<const std::size_t> shape);

/// Bytes of an array of that shape; nothing when its extents (those beside a zero included) multiply
/// to more than a file or memory can hold (2^63 - 1 bytes).
std::optional<std::size_t> checkedByteCount(std::span<const std::size_t> shape, std::size_t elementBytes);

/// Most axes that files may give an array, as NumPy's limit.
inline constexpr std::size_t mostAxes = 64;

/// "[12, 17, 17]", for messages.
std::string shapeText(std::span<const std::size_t> shape);

/// An array that owns its elements, in C order.
template <class T>
struct Array {
    std::vector<std::size_t> shape;
    std::vector<T> values;
};

/// Free text beside the arrays, as safetensors' `__metadata__`.
using Metadata = std::map<std::string, std::string>;

}  // namespace fovea::io
