// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: what the reader sees of tokens whose spans are known.

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// One label a token. Tokens of text 0 and 1 show that part of `sources` that they cover, in whole
/// characters: one that several write stands in the first of them, and each is told its part of it. What
/// special tokens show is their piece. Every code point that a token covers is shown exactly once, but for
/// the white space between tokens (`spaceBefore`). Cost O(bytes + code points that the tokens cover).
std::vector<TokenLabel> labelsOfSources(std::span<const text::Token> tokens,
                                        std::array<std::string_view, 2> sources);

}  // namespace fovea::session
