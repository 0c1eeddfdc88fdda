// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/io/named_arrays.h"
#include "core/support/result.h"

namespace fovea::io {

/// True for float16, bfloat16, float32 and float64.
bool isFloating(ElementType type);

/// Elements of `array` converted to T (float, double or std::int64_t); an integer target refuses
/// floating-point sources. `name` is for the message.
template <class T>
Result<Array<T>> convertedArray(const ArrayView& array, std::string_view name);

/// out.size() elements of a floating-point array from the one at `first` on, all exactly. Precondition:
/// they are there.
void readElements(const ArrayView& array, std::size_t first, std::span<double> out);

/// Stores `values` as float16, float32 or float64, each rounded to the nearest (ties to even), and leaves in
/// `values` what was stored. Precondition: `target` has the bytes of that many elements.
void storeElements(std::span<double> values, ElementType type, std::span<std::byte> target);

}  // namespace fovea::io
