// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/character_boundaries.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <unicode/brkiter.h>
#include <unicode/locid.h>

#include "core/text/unicode_properties.h"

namespace fovea::text {

namespace {

constexpr char32_t replacement = 0xFFFD;

// No code point below ever continues a character, but for the line feed behind a carriage return.
constexpr char32_t firstThatContinues = 0x0300;

icu::UnicodeString wideOf(std::u32string_view text) {
    icu::UnicodeString wide;
    for (const char32_t point : text) {
        const bool surrogate = point >= 0xD800 && point < 0xE000;
        wide.append(static_cast<UChar32>(surrogate || point > 0x10FFFF ? replacement : point));
    }
    return wide;
}

// Null where ICU's data is missing.
std::unique_ptr<icu::BreakIterator> characterBreaks(const icu::UnicodeString& text) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status) || !breaks) return nullptr;
    breaks->setText(text);
    return breaks;
}

}  // namespace

std::vector<bool> characterBeginnings(std::u32string_view text) {
    std::vector<bool> begins(text.size(), true);
    // Soft hyphens and the like below are characters too.
    const bool plain = std::ranges::all_of(text, [](char32_t point) { return point < firstThatContinues; });
    // ICU counts in 32 bits.
    if (plain || text.size() >= std::numeric_limits<std::int32_t>::max() / 2) return begins;
    const icu::UnicodeString wide = wideOf(text);
    const auto breaks = characterBreaks(wide);
    if (!breaks) return begins;
    std::int32_t next = 0;
    std::size_t point = 0;
    for (std::int32_t at = 0; at < wide.length(); at = wide.moveIndex32(at, 1), ++point) {
        const bool begin = at == next;
        if (begin) next = breaks->next();
        begins[point] = begin || isWhiteSpace(text[point]);
    }
    return begins;
}

}  // namespace fovea::text
