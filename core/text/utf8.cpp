// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/utf8.h"

#include <algorithm>

namespace fovea::text {
namespace {

std::uint8_t byteAt(std::string_view text, std::size_t position) {
    return static_cast<std::uint8_t>(text[position]);
}

struct LeadByte {
    std::size_t size;           ///< bytes of the whole sequence; 0: not a lead byte
    std::uint8_t low, high;     ///< range of the second byte (Unicode table 3-7)
};

LeadByte leadByte(std::uint8_t byte) {
    if (byte < 0x80) return {1, 0, 0};
    if (byte < 0xC2) return {0, 0, 0};
    if (byte < 0xE0) return {2, 0x80, 0xBF};
    if (byte == 0xE0) return {3, 0xA0, 0xBF};
    if (byte == 0xED) return {3, 0x80, 0x9F};
    if (byte < 0xF0) return {3, 0x80, 0xBF};
    if (byte == 0xF0) return {4, 0x90, 0xBF};
    if (byte < 0xF4) return {4, 0x80, 0xBF};
    if (byte == 0xF4) return {4, 0x80, 0x8F};
    return {0, 0, 0};
}

struct Sequence {
    std::size_t size;  ///< bytes that belong together, at least 1
    bool complete;
};

Sequence sequenceAt(std::string_view text, std::size_t position) {
    const LeadByte lead = leadByte(byteAt(text, position));
    if (lead.size <= 1) return {1, lead.size == 1};
    for (std::size_t i = 1; i < lead.size; ++i) {
        if (position + i >= text.size()) return {i, false};
        const std::uint8_t byte = byteAt(text, position + i);
        const bool fits = i == 1 ? byte >= lead.low && byte <= lead.high : (byte & 0xC0) == 0x80;
        if (!fits) return {i, false};
    }
    return {lead.size, true};
}

}  // namespace

std::optional<std::size_t> firstInvalidByte(std::string_view text) {
    for (std::size_t position = 0; position < text.size();) {
        const Sequence sequence = sequenceAt(text, position);
        if (!sequence.complete) return position;
        position += sequence.size;
    }
    return std::nullopt;
}

CodePoint longCodePointAt(std::string_view text, std::size_t position) {
    const std::uint8_t lead = byteAt(text, position);
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t character = lead & (0x7F >> size);
    for (std::size_t i = 1; i < size && position + i < text.size(); ++i) {
        character = (character << 6) | (byteAt(text, position + i) & 0x3F);
    }
    return {character, std::min(size, text.size() - position)};
}

CodePoint codePointBefore(std::string_view text, std::size_t pastLast) {
    std::size_t first = pastLast - 1;
    while (first > 0 && (byteAt(text, first) & 0xC0) == 0x80) --first;
    return codePointAt(text, first);
}

void appendLongUtf8(std::string& text, char32_t character) {
    const std::size_t size = encodedSize(character);
    constexpr std::uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    text += static_cast<char>(leads[size] | (character >> (6 * (size - 1))));
    for (std::size_t i = size - 1; i-- > 0;) {
        text += static_cast<char>(0x80 | ((character >> (6 * i)) & 0x3F));
    }
}

std::size_t countCodePoints(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(),
                [](char byte) { return (static_cast<std::uint8_t>(byte) & 0xC0) != 0x80; }));
}

std::string wellFormed(std::string_view bytes) {
    std::string text;
    for (std::size_t position = 0; position < bytes.size();) {
        const Sequence sequence = sequenceAt(bytes, position);
        text += sequence.complete ? bytes.substr(position, sequence.size) : std::string_view("\xEF\xBF\xBD");
        position += sequence.size;
    }
    return text;
}

Utf16Text toUtf16(std::string_view text) {
    Utf16Text converted;
    converted.units.reserve(text.size());
    converted.bytes.reserve(text.size() + 1);
    for (std::size_t position = 0; position < text.size();) {
        const CodePoint point = codePointAt(text, position);
        const auto add = [&](char32_t unit) {
            converted.units += static_cast<char16_t>(unit);
            converted.bytes.push_back(static_cast<std::uint32_t>(position));
        };
        if (point.character < 0x10000) {
            add(point.character);
        } else {
            add(0xD7C0 + (point.character >> 10));
            add(0xDC00 + (point.character & 0x3FF));
        }
        position += point.size;
    }
    converted.bytes.push_back(static_cast<std::uint32_t>(text.size()));
    return converted;
}

}  // namespace fovea::text
