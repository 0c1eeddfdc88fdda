// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>

namespace fovea::text {

/// The letter that stands for a byte: printable bytes of Latin-1 for themselves, the others for
/// U+0100 and on, in order (so a space is U+0120, Ġ). Source: GPT-2's bytes_to_unicode.
char32_t letterOfByte(std::uint8_t byte);

/// The byte that a letter stands for; none for characters that stand for no byte.
std::optional<std::uint8_t> byteOfLetter(char32_t letter);

}  // namespace fovea::text
