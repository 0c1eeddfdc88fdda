// SPDX-License-Identifier: GPL-3.0-or-later
#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "core/io/message_text.h"
#include "core/io/safetensors.h"

namespace fovea::io {
namespace {

/// The bit patterns of the two 16-bit floating-point types, which GCC 12 does not know.
struct Half {
    std::uint16_t bits;
};
struct BrainFloat {
    std::uint16_t bits;
};

/// IEEE binary16: sign, 5 bits of exponent (bias 15), 10 of mantissa.
float asFloat(Half half) {
    const int exponent = (half.bits >> 10) & 0x1F;
    const int mantissa = half.bits & 0x3FF;
    const float sign = (half.bits & 0x8000) ? -1.0f : 1.0f;
    if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
    if (exponent < 31) return sign * std::ldexp(static_cast<float>(mantissa | 0x400), exponent - 25);
    if (mantissa == 0) return sign * std::numeric_limits<float>::infinity();
    return std::numeric_limits<float>::quiet_NaN();
}

/// The upper half of a binary32.
float asFloat(BrainFloat value) { return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16); }

template <class Source>
constexpr bool isFloating =
    std::floating_point<Source> || std::same_as<Source, Half> || std::same_as<Source, BrainFloat>;

/// False where T cannot hold the value.
template <class T, class Source>
bool convert(Source source, T& target) {
    if constexpr (std::same_as<Source, Half> || std::same_as<Source, BrainFloat>) {
        target = static_cast<T>(asFloat(source));
    } else if constexpr (std::integral<T> && std::same_as<Source, std::uint64_t>) {
        if (source > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return false;
        target = static_cast<T>(source);
    } else {
        target = static_cast<T>(source);
    }
    return true;
}

template <class T, class Source>
Result<Array<T>> convertedFrom(const ArrayView& array, std::string_view name) {
    if constexpr (std::integral<T> && isFloating<Source>) {
        return fail(fmt::format("tensor {} is {}, expected whole numbers (I64, I32, ...)", quotable(name),
                                elementTypeName(array.type)));
    } else {
        const std::size_t count = array.bytes.size() / sizeof(Source);
        Array<T> result{array.shape, std::vector<T>(count)};
        if constexpr (std::same_as<T, Source>) {
            if (count > 0) std::memcpy(result.values.data(), array.bytes.data(), array.bytes.size());
        } else {
            for (std::size_t index = 0; index < count; ++index) {
                Source source;
                std::memcpy(&source, array.bytes.data() + index * sizeof(Source), sizeof(Source));
                if (!convert(source, result.values[index])) {
                    return fail(fmt::format(
                        "tensor {} holds a number above 2^63 - 1, the largest that is read", quotable(name)));
                }
            }
        }
        return result;
    }
}

}  // namespace

template <class T>
Result<Array<T>> convertedArray(const ArrayView& array, std::string_view name) {
    switch (array.type) {
        case ElementType::Bool:
        case ElementType::U8: return convertedFrom<T, std::uint8_t>(array, name);
        case ElementType::I8: return convertedFrom<T, std::int8_t>(array, name);
        case ElementType::I16: return convertedFrom<T, std::int16_t>(array, name);
        case ElementType::U16: return convertedFrom<T, std::uint16_t>(array, name);
        case ElementType::I32: return convertedFrom<T, std::int32_t>(array, name);
        case ElementType::U32: return convertedFrom<T, std::uint32_t>(array, name);
        case ElementType::I64: return convertedFrom<T, std::int64_t>(array, name);
        case ElementType::U64: return convertedFrom<T, std::uint64_t>(array, name);
        case ElementType::F16: return convertedFrom<T, Half>(array, name);
        case ElementType::BF16: return convertedFrom<T, BrainFloat>(array, name);
        case ElementType::F32: return convertedFrom<T, float>(array, name);
        case ElementType::F64: return convertedFrom<T, double>(array, name);
    }
    return fail(fmt::format("tensor {} has an unknown type", quotable(name)));
}

template Result<Array<float>> convertedArray(const ArrayView&, std::string_view);
template Result<Array<double>> convertedArray(const ArrayView&, std::string_view);
template Result<Array<std::int64_t>> convertedArray(const ArrayView&, std::string_view);

}  // namespace fovea::io
