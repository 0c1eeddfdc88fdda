// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/trace/trace.h"

namespace fovea::session {

/// Which positions of two sequences of tokens belong together.
struct TokenAlignment {
    std::vector<std::optional<std::size_t>> toSecond;  ///< one a token of the first sequence
    std::vector<std::optional<std::size_t>> toFirst;   ///< one a token of the second

    bool operator==(const TokenAlignment&) const = default;
};

/// Aligns the tokens of two texts, or of one text under two tokenizers. Words (tokens up to the next white
/// space; special tokens alone, by piece) are aligned by a longest common subsequence of their source
/// text, case as it is. Tokens of aligned words belong together by the characters that they cover: each to
/// the one that it shares most with, the first of equals. Between aligned words, tokens of equal text
/// are aligned in the same way. Tokens of different texts of a pair never belong together.
///
/// The same both ways round; counterparts never step back; equal sequences give the identity. Of texts
/// that differ in more than a thousand places the subsequence is common but may not be the longest.
/// Cost O((n + m) d) for d differences, at most a thousand at a time.
TokenAlignment alignTokens(std::span<const TokenLabel> first, std::span<const TokenLabel> second);

}  // namespace fovea::session
