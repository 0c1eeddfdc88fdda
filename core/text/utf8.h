// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::text {

/// One code point of a UTF-8 text and the number of bytes that hold it.
struct CodePoint {
    char32_t character = 0;
    std::size_t size = 1;
};

/// Position of the first byte that is not part of well-formed UTF-8 (overlong forms and surrogates
/// are not); none when the whole text is well formed.
std::optional<std::size_t> firstInvalidByte(std::string_view text);

/// The code point of more than one byte that starts at `position` of a well-formed text.
CodePoint longCodePointAt(std::string_view text, std::size_t position);

/// The code point that starts at `position` of a well-formed text.
inline CodePoint codePointAt(std::string_view text, std::size_t position) {
    const auto lead = static_cast<std::uint8_t>(text[position]);
    return lead < 0x80 ? CodePoint{lead, 1} : longCodePointAt(text, position);
}

/// The code point that ends just before `pastLast` (> 0) of a well-formed text.
CodePoint codePointBefore(std::string_view text, std::size_t pastLast);

/// Bytes that hold `character` in UTF-8.
inline std::size_t encodedSize(char32_t character) {
    return character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
}

/// Appends a character of more than one byte.
void appendLongUtf8(std::string& text, char32_t character);

inline void appendUtf8(std::string& text, char32_t character) {
    if (character < 0x80) text.push_back(static_cast<char>(character));
    else appendLongUtf8(text, character);
}

std::size_t countCodePoints(std::string_view text);

/// Replaces each ill-formed part (maximal subpart, Unicode 3.9) by U+FFFD.
std::string wellFormed(std::string_view bytes);

/// A text in UTF-16, which ICU's regular expressions work on, with the way back to bytes.
struct Utf16Text {
    std::u16string units;
    /// Byte position of each unit, and one past the end.
    std::vector<std::uint32_t> bytes;
};
Utf16Text toUtf16(std::string_view text);

}  // namespace fovea::text
