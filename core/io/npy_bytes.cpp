// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/npy_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <optional>

#include "core/io/message_text.h"
#include "core/io/npy_header.h"

namespace fovea::io {
namespace {

using Bytes = std::span<const std::byte>;

struct Element {
    std::optional<ElementType> number;  ///< nothing: text
    bool wideText = false;              ///< UTF-32, not bytes
    std::size_t bytes = 0;
    bool bigEndian = false;
};

std::string_view textOf(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The dictionary and what follows it.
Result<std::pair<NpyHeader, Bytes>> split(Bytes bytes, std::string_view source) {
    constexpr std::string_view magic("\x93NUMPY", 6);
    if (!textOf(bytes).starts_with(magic)) {
        return fail(fmt::format("{}: not an npy file (it does not start with \\x93NUMPY)", source));
    }
    const auto byteAt = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
    if (bytes.size() < 12) return fail(fmt::format("{}: cut short within the npy header", source));
    const std::size_t major = byteAt(6);
    if (major < 1 || major > 3 || byteAt(7) != 0) {
        return fail(fmt::format("{}: npy version {}.{}, expected 1.0, 2.0 or 3.0", source, major, byteAt(7)));
    }
    const std::size_t start = major == 1 ? 10 : 12;
    std::size_t length = byteAt(8) | byteAt(9) << 8;
    if (major > 1) length |= byteAt(10) << 16 | byteAt(11) << 24;
    constexpr std::size_t longest = 1 << 16;
    if (length > bytes.size() - start || length > longest) {
        return fail(fmt::format("{}: the npy header claims {} bytes, expected at most {}", source, length,
                                std::min(longest, bytes.size() - start)));
    }
    auto header = parseNpyHeader(textOf(bytes.subspan(start, length)), source);
    if (!header) return std::unexpected(header.error());
    return std::pair(std::move(*header), bytes.subspan(start + length));
}

std::optional<ElementType> numberType(char kind, std::size_t bytes) {
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
    const std::string code = fmt::format("{}{}", kind, bytes);
    for (const auto& [name, type] : types) {
        if (name == code) return type;
    }
    return std::nullopt;
}

Result<Element> elementOf(const std::string& descr, std::string_view source) {
    const bool marked = !descr.empty() && std::string_view("<>=|").contains(descr.front());
    const std::string_view code = std::string_view(descr).substr(marked ? 1 : 0);
    const char kind = code.empty() ? '\0' : code.front();
    std::size_t count = 0;
    const char* end = code.data() + code.size();
    const auto parsed = std::from_chars(code.data() + (code.empty() ? 0 : 1), end, count);
    const bool sized = parsed.ec == std::errc() && parsed.ptr == end;
    const bool big = marked && descr.front() == '>';
    constexpr std::size_t longestText = 1 << 20;
    if (sized && (kind == 'U' || kind == 'S' || kind == 'a') && count >= 1 && count <= longestText) {
        return Element{std::nullopt, kind == 'U', kind == 'U' ? 4 * count : count, big};
    }
    if (const auto type = numberType(kind, count); sized && type) return Element{type, false, count, big};
    const std::string found = kind == 'O' ? "an array of pickled Python objects, which are never read"
                                          : fmt::format("an array of type '{}'", quotable(descr));
    return fail(fmt::format("{}: expected numbers of at most 64 bits or texts, found {}", source, found),
                ErrorKind::Unsupported);
}

/// Elements of `size` bytes with the last axis fastest, from elements with the first axis fastest.
std::string inCOrder(Bytes data, std::span<const std::size_t> shape, std::size_t size) {
    std::string result(data.size(), '\0');
    std::vector<std::size_t> strides(shape.size(), size);
    for (std::size_t axis = 1; axis < shape.size(); ++axis)
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    std::vector<std::size_t> index(shape.size(), 0);
    std::size_t source = 0;
    for (std::size_t out = 0; out < result.size(); out += size) {
        std::memcpy(&result[out], data.data() + source, size);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            source += strides[axis];
            if (++index[axis] < shape[axis]) break;
            source -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    return result;
}

void appendUtf8(std::string& text, std::uint32_t point) {
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000)) point = 0xFFFD;
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
        text += static_cast<char>(point);
    } else if (point < 0x800) {
        text += static_cast<char>(0xC0 | point >> 6);
        tail(0);
    } else if (point < 0x10000) {
        text += static_cast<char>(0xE0 | point >> 12);
        tail(6);
        tail(0);
    } else {
        text += static_cast<char>(0xF0 | point >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

/// One text; the zeros behind it only fill it up.
std::string textFrom(std::string_view bytes, bool wide) {
    if (!wide) return std::string(bytes.substr(0, bytes.find_last_not_of('\0') + 1));
    std::string text;
    std::size_t end = bytes.size();
    while (end >= 4 && bytes.substr(end - 4, 4) == std::string_view("\0\0\0\0", 4)) end -= 4;
    for (std::size_t at = 0; at < end; at += 4) {
        std::uint32_t point = 0;
        std::memcpy(&point, bytes.data() + at, 4);
        appendUtf8(text, point);
    }
    return text;
}

}  // namespace

Result<NpyContent> npyFromBytes(Bytes bytes, std::string_view source) {
    const auto parts = split(bytes, source);
    if (!parts) return std::unexpected(parts.error());
    const auto& [header, data] = *parts;
    const auto element = elementOf(header.descr, source);
    if (!element) return std::unexpected(element.error());
    const auto expected = checkedByteCount(header.shape, element->bytes);
    if (!expected || *expected != data.size()) {
        return fail(fmt::format("{}: shape {} takes {} bytes, found {}", source, shapeText(header.shape),
                                expected ? fmt::format("{}", *expected) : "more than 2^63", data.size()));
    }
    const bool reorder = header.fortranOrder && header.shape.size() > 1;
    auto content = std::make_shared<std::string>(reorder ? inCOrder(data, header.shape, element->bytes)
                                                         : std::string(textOf(data)));
    const std::size_t unit = element->wideText ? 4 : element->number ? element->bytes : 1;
    for (std::size_t at = 0; element->bigEndian && at < content->size(); at += unit) {
        std::reverse(content->begin() + static_cast<std::ptrdiff_t>(at),
                     content->begin() + static_cast<std::ptrdiff_t>(at + unit));
    }
    NpyContent result;
    result.array.shape = header.shape;
    result.array.isText = !element->number;
    if (element->number) {
        result.array.numbers = {*element->number, header.shape, std::as_bytes(std::span(*content))};
    } else {
        for (std::size_t at = 0; at < content->size(); at += element->bytes) {
            result.array.texts.push_back(
                textFrom(std::string_view(*content).substr(at, element->bytes), element->wideText));
        }
    }
    result.owner = std::move(content);
    return result;
}

}  // namespace fovea::io
