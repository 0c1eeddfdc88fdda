// SPDX-License-Identifier: GPL-3.0-or-later
//
// An npy file:
//
//   bytes            content
//   0 .. 5           "\x93NUMPY"
//   6, 7             version: 1.0, 2.0 or 3.0
//   8 ..             n: length of the header, little-endian; 2 bytes in version 1.0, else 4
//   n bytes          header: a Python dictionary of 'descr', 'fortran_order' and 'shape', padded
//                    with spaces, ended by a line feed; Latin-1, UTF-8 from version 3.0
//   rest             the elements, in C order or, with 'fortran_order': True, first axis fastest
#include "core/io/npy_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "core/io/memory_room.h"
#include "core/io/message_text.h"
#include "core/io/npy_element.h"
#include "core/io/npy_header.h"

namespace fovea::io {
namespace {

using Bytes = std::span<const std::byte>;

static_assert(std::endian::native == std::endian::little, "'<' is the machine's own byte order");

// NumPy itself refuses to evaluate more than 10,000 bytes.
constexpr std::size_t longestHeader = 1 << 16;

std::string_view textOf(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// The first bytes, as a message may quote them.
std::string startOf(std::string_view bytes) {
    if (bytes.empty()) return "0 bytes";
    return fmt::format("\"{}\"", quotable(bytes.substr(0, 16)));
}

/// The header's literal, and what follows it.
Result<std::pair<std::string_view, Bytes>> split(Bytes bytes, std::string_view source) {
    constexpr std::string_view magic("\x93NUMPY", 6);
    const auto byteAt = [&](std::size_t at) { return std::to_integer<std::size_t>(bytes[at]); };
    if (!textOf(bytes).starts_with(magic)) {
        return fail(fmt::format("{}: not an npy file: expected \\x93NUMPY at its start, found {}", source,
                                startOf(textOf(bytes))));
    }
    const std::size_t major = bytes.size() < 8 ? 1 : byteAt(6);
    const std::size_t minor = bytes.size() < 8 ? 0 : byteAt(7);
    if (major < 1 || major > 3 || minor != 0) {
        return fail(fmt::format("{}: npy version {}.{}, expected 1.0, 2.0 or 3.0", source, major, minor));
    }
    const std::size_t start = major == 1 ? 10 : 12;
    if (bytes.size() < start) {
        return fail(fmt::format("{}: cut short within the npy header ({} bytes)", source, bytes.size()));
    }
    std::size_t length = 0;
    for (std::size_t at = start; at-- > 8;) length = length << 8 | byteAt(at);
    if (length > bytes.size() - start) {
        return fail(fmt::format("{}: the npy header claims {} bytes, but only {} follow", source, length,
                                bytes.size() - start));
    }
    if (length > longestHeader) {
        return fail(fmt::format("{}: the npy header claims {} bytes, expected at most {}", source, length,
                                longestHeader));
    }
    return std::pair(textOf(bytes.subspan(start, length)), bytes.subspan(start + length));
}

/// The data are as long as the header says.
Result<void> checkLength(const NpyHeader& header, std::size_t elementBytes, std::size_t found,
                         std::string_view source) {
    const auto expected = checkedByteCount(header.shape, elementBytes);
    if (!expected) {
        return fail(fmt::format("{}: shape {} is larger than any file", source, shapeText(header.shape)));
    }
    if (found == *expected) return {};
    return fail(fmt::format("{}: shape {} takes {} bytes, found {}: {}", source, shapeText(header.shape),
                            *expected, found,
                            found < *expected ? "cut short" : "something follows the array"));
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

/// A copy of the data in C order and the machine's byte order.
std::string rearranged(Bytes data, const NpyHeader& header, const NpyElement& element, bool reorder) {
    std::string copy = reorder ? inCOrder(data, header.shape, element.bytes) : std::string(textOf(data));
    const std::size_t unit = element.unit();
    for (std::size_t at = 0; element.bigEndian && at < copy.size(); at += unit) {
        std::reverse(copy.begin() + static_cast<std::ptrdiff_t>(at),
                     copy.begin() + static_cast<std::ptrdiff_t>(at + unit));
    }
    return copy;
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
    if (!wide) return wellFormed(bytes.substr(0, bytes.find_last_not_of('\0') + 1));
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

Result<NpyContent> npyFromBytes(const OwnedBytes& file, std::string_view source) {
    const auto parts = split(file.bytes, source);
    if (!parts) return std::unexpected(parts.error());
    const auto header = parseNpyHeader(parts->first, source);
    if (!header) return std::unexpected(header.error());
    const auto element = npyElement(header->descr, source);
    if (!element) return std::unexpected(element.error());
    Bytes data = parts->second;
    if (auto whole = checkLength(*header, element->bytes, data.size(), source); !whole)
        return std::unexpected(whole.error());

    NpyContent result;
    result.array.shape = header->shape;
    result.array.isText = !element->number;
    result.owner = file.owner;
    const bool reorder = header->fortranOrder && header->shape.size() > 1;
    if (reorder || (element->bigEndian && element->unit() > 1)) {
        const std::string what = fmt::format("{}: shape {}", source, shapeText(header->shape));
        if (auto fits = checkFitsMemory(what, data.size()); !fits) return std::unexpected(fits.error());
        const auto copy = std::make_shared<std::string>(rearranged(data, *header, *element, reorder));
        data = std::as_bytes(std::span(*copy));
        result.owner = copy;
    }
    if (element->number) {
        result.array.numbers = {*element->number, header->shape, data};
        return result;
    }
    // Each takes more memory as a text than in the file.
    const std::size_t needed = data.size() / element->bytes * sizeof(std::string) + data.size();
    const std::string what = fmt::format("{}: its {} texts", source, data.size() / element->bytes);
    if (auto fits = checkFitsMemory(what, needed); !fits) return std::unexpected(fits.error());
    for (std::size_t at = 0; at < data.size(); at += element->bytes) {
        result.array.texts.push_back(textFrom(textOf(data.subspan(at, element->bytes)), element->wideText));
    }
    return result;
}

}  // namespace fovea::io
