// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/word_segmentation.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <unicode/brkiter.h>
#include <unicode/locid.h>

#include "core/text/unicode_properties.h"
#include "core/text/utf8.h"

namespace fovea::text {

namespace {

constexpr std::uint32_t noWord = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t plainSpace = noWord - 1;  // U+0020, of no word either

// Null where ICU's data is missing.
std::unique_ptr<icu::BreakIterator> wordBreaks(const icu::UnicodeString& text) {
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> breaks(
        icu::BreakIterator::createWordInstance(icu::Locale::getRoot(), status));
    if (U_FAILURE(status) || !breaks) return nullptr;
    breaks->setText(text);
    return breaks;
}

// The segment of every code point, in reading order; noWord or plainSpace for white space.
std::vector<std::uint32_t> segmentsOf(std::string_view text) {
    const Utf16Text wide = toUtf16(text);
    // ICU counts in 32 bits: what lies beyond has no words.
    const auto length = std::min<std::size_t>(wide.units.size(), std::numeric_limits<std::int32_t>::max());
    const icu::UnicodeString input(false, wide.units.data(), static_cast<std::int32_t>(length));
    const auto breaks = wordBreaks(input);
    std::vector<std::uint32_t> segments;
    segments.reserve(wide.units.size());
    std::uint32_t segment = 0;
    std::int32_t end = breaks ? breaks->next() : icu::BreakIterator::DONE;
    for (std::int32_t at = 0; at < input.length(); at = input.moveIndex32(at, 1)) {
        if (at == end) {
            ++segment;
            end = breaks->next();
        }
        const auto character = static_cast<char32_t>(input.char32At(at));
        const bool space = isWhiteSpace(character);
        if (space && !breaks) ++segment;
        segments.push_back(!space ? segment : character == U' ' ? plainSpace : noWord);
    }
    return segments;
}

// What a token covers of the words: none where it covers white space alone.
struct Cover {
    std::uint32_t first = noWord;  // segments
    std::uint32_t last = noWord;
    TokenSpan span;
};

Cover coverOf(const std::vector<std::uint32_t>& segments, const TokenSpan& token) {
    Cover cover;
    if (token.alone) return cover;
    for (std::size_t at = token.first; at < std::min(token.pastLast, segments.size()); ++at) {
        if (segments[at] >= plainSpace) continue;
        if (cover.first == noWord) {
            cover.first = segments[at];
            cover.span.first = at;
        }
        cover.last = segments[at];
        cover.span.pastLast = at + 1;
    }
    return cover;
}

// A space alone that a word begins behind is that word's.
void joinSpaces(const std::vector<std::uint32_t>& segments, std::span<const TokenSpan> tokens,
                TokenWords& words) {
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const TokenSpan& token = tokens[i];
        const auto next = words.ofTokens[i + 1];
        const bool space = !token.alone && token.first < segments.size() &&
                           token.pastLast == token.first + 1 && segments[token.first] == plainSpace;
        if (space && next && words.spans[*next].first == token.pastLast) words.ofTokens[i] = next;
    }
}

}  // namespace

TokenWords wordsOfTokens(std::string_view text, std::span<const TokenSpan> tokens) {
    const std::vector<std::uint32_t> segments = segmentsOf(wellFormed(text));
    TokenWords words;
    words.ofTokens.resize(tokens.size());
    Cover open;  // what the word that is being gathered covers
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Cover cover = coverOf(segments, tokens[i]);
        if (cover.first == noWord) {
            open = {};
            continue;
        }
        const bool shares = open.first != noWord && cover.first <= open.last && cover.last >= open.first;
        if (!shares) {
            open = cover;
            words.spans.push_back(cover.span);
        }
        open.first = std::min(open.first, cover.first);
        open.last = std::max(open.last, cover.last);
        TokenSpan& span = words.spans.back();
        span.first = std::min(span.first, cover.span.first);
        span.pastLast = std::max(span.pastLast, cover.span.pastLast);
        words.ofTokens[i] = static_cast<std::uint32_t>(words.spans.size() - 1);
    }
    joinSpaces(segments, tokens, words);
    return words;
}

}  // namespace fovea::text
