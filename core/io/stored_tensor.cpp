// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/stored_tensor.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/io/array_conversion.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

// Calls `visit` with the place of the first element of every row (of the last axis), in C order, until it
// gives false.
template <class Visit>
void visitRows(const StoredTensor& tensor, Visit&& visit) {
    if (tensor.count() == 0) return;
    const std::size_t axes = tensor.shape.empty() ? 0 : tensor.shape.size() - 1;
    std::vector<std::size_t> index(axes, 0);
    std::size_t place = 0;
    while (visit(place)) {
        std::size_t axis = axes;
        while (axis > 0) {
            --axis;
            place += tensor.strides[axis];
            if (++index[axis] < tensor.shape[axis]) break;
            place -= index[axis] * tensor.strides[axis];
            index[axis] = 0;
            if (axis == 0) return;
        }
        if (axes == 0) return;
    }
}

// All bits of the exponent of a little-endian floating-point number: NaN and infinities alone have them.
template <class Bits>
std::size_t firstNotFiniteIn(const std::byte* at, std::size_t count, std::size_t stride, Bits exponent) {
    for (std::size_t i = 0; i < count; ++i) {
        Bits bits;
        std::memcpy(&bits, at + i * stride * sizeof(Bits), sizeof(Bits));
        if ((bits & exponent) == exponent) return i;
    }
    return count;
}

std::size_t firstNotFiniteIn(ElementType type, const std::byte* at, std::size_t count, std::size_t stride) {
    switch (type) {
        case ElementType::F16: return firstNotFiniteIn<std::uint16_t>(at, count, stride, 0x7C00);
        case ElementType::BF16: return firstNotFiniteIn<std::uint16_t>(at, count, stride, 0x7F80);
        case ElementType::F32: return firstNotFiniteIn<std::uint32_t>(at, count, stride, 0x7F800000);
        default: return firstNotFiniteIn<std::uint64_t>(at, count, stride, 0x7FF0000000000000);
    }
}

}  // namespace

bool StoredTensor::inOrder() const {
    std::size_t expected = 1;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        // The step along an axis of one element is never taken.
        if (shape[axis] != 1 && strides[axis] != expected) return count() == 0;
        expected *= shape[axis];
    }
    return true;
}

std::vector<std::size_t> stridesInOrder(std::span<const std::size_t> shape) {
    std::vector<std::size_t> strides(shape.size(), 1);
    for (std::size_t axis = shape.size(); axis-- > 1;)
        strides[axis - 1] = strides[axis] * std::max<std::size_t>(shape[axis], 1);
    return strides;
}

void copyInOrder(const StoredTensor& tensor, std::span<std::byte> target) {
    const std::size_t size = elementSize(tensor.type);
    require(target.size() == tensor.count() * size, "a tensor's elements fill the bytes they are copied to");
    if (target.empty()) return;
    if (tensor.inOrder()) {
        std::memcpy(target.data(), tensor.bytes.data(), target.size());
        return;
    }
    const std::size_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    const std::size_t step = tensor.shape.empty() ? size : tensor.strides.back() * size;
    std::byte* out = target.data();
    visitRows(tensor, [&](std::size_t place) {
        const std::byte* at = tensor.bytes.data() + place * size;
        for (std::size_t i = 0; i < row; ++i, out += size) std::memcpy(out, at + i * step, size);
        return true;
    });
}

std::optional<std::size_t> firstNotFinite(const StoredTensor& tensor) {
    if (!isFloating(tensor.type)) return std::nullopt;
    const std::size_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    const std::size_t stride = tensor.shape.empty() ? 1 : tensor.strides.back();
    std::size_t before = 0;
    std::optional<std::size_t> found;
    visitRows(tensor, [&](std::size_t place) {
        const std::byte* at = tensor.bytes.data() + place * elementSize(tensor.type);
        const std::size_t first = firstNotFiniteIn(tensor.type, at, row, stride);
        if (first < row) found = before + first;
        before += row;
        return !found;
    });
    return found;
}

std::vector<std::size_t> coordinatesOf(std::size_t index, std::span<const std::size_t> shape) {
    std::vector<std::size_t> coordinates(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        coordinates[axis] = index % shape[axis];
        index /= shape[axis];
    }
    return coordinates;
}

}  // namespace fovea::io
