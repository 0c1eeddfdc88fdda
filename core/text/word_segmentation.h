// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace fovea::text {

/// The part of a text that a token came from, in Unicode code points, half open.
struct TokenSpan {
    std::size_t first = 0;
    std::size_t pastLast = 0;
    bool alone = false;  ///< a special or added token: no part of any word
};

/// The words of a text, by the tokens that it was cut into.
struct TokenWords {
    /// One a token; numbers ascend from 0 without gaps. None: the token stands `alone`, or is white space.
    std::vector<std::optional<std::uint32_t>> ofTokens;
    std::vector<TokenSpan> spans;  ///< one a word: from its first to its last character that its tokens cover
};

/// Which word of `text` each of its tokens belongs to. Words are those of Unicode's default word boundaries
/// [UAX 29] with ICU's dictionaries for scripts without spaces: punctuation is a word of its own, "don't" is
/// one. White space belongs to no word, so one that a token swallows changes nothing; but a single space that
/// is a token just before a word, as "▁" may be, goes with it. Tokens that follow each other and share a word
/// are of one: pieces of a word, bytes of a character, and, where a token covers several words, all of them.
///
/// `text` is UTF-8; ill-formed parts count as one code point each, as U+FFFD. Spans are clamped to it.
/// Without ICU's data words end at white space alone. Cost O(bytes + code points that the tokens cover).
TokenWords wordsOfTokens(std::string_view text, std::span<const TokenSpan> tokens);

}  // namespace fovea::text
