// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "core/io/named_arrays.h"

namespace fovea::io {

/// One tensor as it lies in a mapped file. Element (i0, i1, ...) is the one at i0 strides[0] +
/// i1 strides[1] + ..., counted in elements from the first byte; all of them lie in `bytes`, which need
/// not be aligned.
struct StoredTensor {
    ElementType type = ElementType::F32;
    std::vector<std::size_t> shape;
    std::vector<std::size_t> strides;
    std::span<const std::byte> bytes;
    std::filesystem::path file;

    std::size_t count() const { return elementCount(shape); }
    /// Whether the elements follow one another in C order, so that `bytes` holds them and nothing else.
    bool inOrder() const;
    /// The whole of it, where `inOrder()`.
    ArrayView view() const { return {type, shape, bytes}; }
};

/// Strides of C order. Precondition: the shape was checked against overflow.
std::vector<std::size_t> stridesInOrder(std::span<const std::size_t> shape);

/// Copies the elements into C order. Precondition: `target` has count() elements' bytes. Cost O(count).
void copyInOrder(const StoredTensor& tensor, std::span<std::byte> target);

/// Index in C order of the first element that is NaN or infinite, if any; none for whole numbers.
std::optional<std::size_t> firstNotFinite(const StoredTensor& tensor);

/// Coordinates of the element at `index` in C order.
std::vector<std::size_t> coordinatesOf(std::size_t index, std::span<const std::size_t> shape);

}  // namespace fovea::io
