// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/named_arrays.h"

#include <array>
#include <limits>

#include <fmt/ranges.h>

namespace fovea::io {
namespace {

struct TypeFacts {
    ElementType type;
    std::string_view name;
    std::size_t size;
};

constexpr std::array<TypeFacts, 13> knownTypes = {{
    {ElementType::Bool, "BOOL", 1},
    {ElementType::U8, "U8", 1},
    {ElementType::I8, "I8", 1},
    {ElementType::I16, "I16", 2},
    {ElementType::U16, "U16", 2},
    {ElementType::I32, "I32", 4},
    {ElementType::U32, "U32", 4},
    {ElementType::I64, "I64", 8},
    {ElementType::U64, "U64", 8},
    {ElementType::F16, "F16", 2},
    {ElementType::BF16, "BF16", 2},
    {ElementType::F32, "F32", 4},
    {ElementType::F64, "F64", 8},
}};

constexpr bool listedInTheOrderOfTheEnumeration() {
    for (std::size_t index = 0; index < knownTypes.size(); ++index) {
        if (static_cast<std::size_t>(knownTypes[index].type) != index) return false;
    }
    return true;
}
static_assert(listedInTheOrderOfTheEnumeration());

}  // namespace

std::size_t elementSize(ElementType type) { return knownTypes[static_cast<std::size_t>(type)].size; }

std::string_view elementTypeName(ElementType type) { return knownTypes[static_cast<std::size_t>(type)].name; }

std::optional<ElementType> elementTypeNamed(std::string_view name) {
    for (const TypeFacts& facts : knownTypes) {
        if (facts.name == name) return facts.type;
    }
    return std::nullopt;
}

std::size_t elementCount(std::span<const std::size_t> shape) {
    std::size_t count = 1;
    for (const std::size_t extent : shape) count *= extent;
    return count;
}

std::optional<std::size_t> checkedByteCount(std::span<const std::size_t> shape, std::size_t elementBytes) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    std::size_t bytes = elementBytes;
    bool empty = false;
    for (const std::size_t extent : shape) {
        // Extents beside a zero are held to the same bound: they become strides and loop limits.
        if (extent == 0) {
            empty = true;
        } else if (bytes > most / extent) {
            return std::nullopt;
        } else {
            bytes *= extent;
        }
    }
    return empty ? 0 : bytes;
}

std::string shapeText(std::span<const std::size_t> shape) {
    return fmt::format("[{}]", fmt::join(shape, ", "));
}

}  // namespace fovea::io
