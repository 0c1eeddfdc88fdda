// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npy_element.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "core/io/message_text.h"

namespace fovea::io {
namespace {

constexpr std::size_t longestText = 1 << 20;

std::optional<ElementType> numberType(std::string_view code) {
    constexpr std::array<std::pair<std::string_view, ElementType>, 12> types{{{"b1", ElementType::Bool},
                                                                              {"u1", ElementType::U8},
                                                                              {"i1", ElementType::I8},
                                                                              {"i2", ElementType::I16},
                                                                              {"u2", ElementType::U16},
                                                                              {"i4", ElementType::I32},
                                                                              {"u4", ElementType::U32},
                                                                              {"i8", ElementType::I64},
                                                                              {"u8", ElementType::U64},
                                                                              {"f2", ElementType::F16},
                                                                              {"f4", ElementType::F32},
                                                                              {"f8", ElementType::F64}}};
    const auto found = std::ranges::find(types, code, &std::pair<std::string_view, ElementType>::first);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

/// The whole number behind the letter of a type code; nothing where something else stands there.
std::optional<std::size_t> numberBehindLetter(std::string_view code) {
    std::size_t number = 0;
    const char* const end = code.data() + code.size();
    if (code.size() < 2) return std::nullopt;
    const auto [rest, error] = std::from_chars(code.data() + 1, end, number);
    return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

/// What NumPy calls the elements of a type code without its byte order, for refusals.
std::string arraysOf(std::string_view code) {
    const std::size_t bits = 8 * std::min<std::size_t>(numberBehindLetter(code).value_or(0), 1 << 20);
    switch (code.empty() ? '\0' : code.front()) {
        case 'O': return "object arrays (pickled Python objects)";
        case 'f': return fmt::format("float{} arrays", bits);
        case 'c': return fmt::format("complex{} arrays", bits);
        case 'i': return fmt::format("int{} arrays", bits);
        case 'u': return fmt::format("uint{} arrays", bits);
        case 'U':
        case 'S':
        case 'a': return "arrays of text without a width, or wider than a mebibyte,";
        case 'M':
        case 'm': return "arrays of dates or times";
        case 'V': return "arrays of raw bytes (void)";
        default: return fmt::format("arrays of type '{}'", quotable(code));
    }
}

}  // namespace

Result<NpyElement> npyElement(std::string_view descr, std::string_view source) {
    const bool marked = !descr.empty() && std::string_view("<>=|").contains(descr.front());
    const bool bigEndian = descr.starts_with('>');
    const std::string_view code = descr.substr(marked ? 1 : 0);
    const char kind = code.empty() ? '\0' : code.front();
    const std::size_t count = numberBehindLetter(code).value_or(0);
    const bool text = kind == 'U' || kind == 'S' || kind == 'a';
    if (text && count >= 1 && count <= longestText) {
        return NpyElement{std::nullopt, kind == 'U', kind == 'U' ? 4 * count : count, bigEndian};
    }
    if (const auto type = numberType(code)) return NpyElement{type, false, count, bigEndian};
    return fail(fmt::format("{}: {} are not read; expected numbers of at most 64 bits or texts, found '{}'",
                            source, arraysOf(code), quotable(descr)),
                ErrorKind::Unsupported);
}

}  // namespace fovea::io
