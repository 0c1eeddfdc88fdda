// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/array_conversion.h"

#include <concepts>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "core/io/message_text.h"
#include "core/support/half.h"
#include "core/support/precondition.h"

namespace fovea::io {
namespace {

template <class Source>
constexpr bool floatingSource =
    std::floating_point<Source> || std::same_as<Source, Half> || std::same_as<Source, BrainFloat>;

/// False where T cannot hold the value.
template <class T, class Source>
bool convert(Source source, T& target) {
    if constexpr (std::same_as<Source, Half> || std::same_as<Source, BrainFloat>) {
        target = static_cast<T>(static_cast<double>(source));
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
    if constexpr (std::integral<T> && floatingSource<Source>) {
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

template <class Source>
void convertPart(const ArrayView& array, std::size_t first, std::span<double> out) {
    const std::byte* at = array.bytes.data() + first * sizeof(Source);
    for (double& value : out) {
        Source source;
        std::memcpy(&source, at, sizeof(Source));
        convert(source, value);
        at += sizeof(Source);
    }
}

template <class Target>
void storePart(std::span<double> values, std::byte* at) {
    for (double& value : values) {
        const auto target = static_cast<Target>(value);
        std::memcpy(at, &target, sizeof(Target));
        value = static_cast<double>(target);
        at += sizeof(Target);
    }
}

}  // namespace

bool isFloating(ElementType type) {
    return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 ||
           type == ElementType::F64;
}

void readElements(const ArrayView& array, std::size_t first, std::span<double> out) {
    const std::size_t count = array.bytes.size() / elementSize(array.type);
    require(first <= count && out.size() <= count - first, "elements that are read are there");
    switch (array.type) {
        case ElementType::F16: return convertPart<Half>(array, first, out);
        case ElementType::BF16: return convertPart<BrainFloat>(array, first, out);
        case ElementType::F32: return convertPart<float>(array, first, out);
        case ElementType::F64: return convertPart<double>(array, first, out);
        default: require(false, "elements that are read are floating-point numbers");
    }
}

void storeElements(std::span<double> values, ElementType type, std::span<std::byte> target) {
    require(target.size() == values.size() * elementSize(type), "elements fill the bytes they are stored in");
    switch (type) {
        case ElementType::F16: return storePart<Half>(values, target.data());
        case ElementType::F32: return storePart<float>(values, target.data());
        case ElementType::F64: return storePart<double>(values, target.data());
        default: require(false, "elements are stored as float16, float32 or float64");
    }
}

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
