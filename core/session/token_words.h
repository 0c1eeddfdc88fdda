// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: fills TokenLabel::word, whatever is known of the text.

#include <cstddef>
#include <span>
#include <vector>

#include "core/session/text_input.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// From the source text and the tokens' offsets: one label a token of `encoding`. Words of the two texts of a
/// pair never join; special and added tokens stand alone. See text::wordsOfTokens.
void setWordsOfSource(const text::Tokenizer& tokenizer, const text::Encoding& encoding,
                      const TextInput& input, std::span<TokenLabel> labels);

/// From ids alone, of the labels from `first` on: the same words in what the ids decode to. What continues
/// the last word before `first` belongs to it. Without a tokenizer every token stands alone.
void setWordsOfDecoded(const text::Tokenizer* tokenizer, std::span<TokenLabel> labels, std::size_t first = 0);

/// From pieces alone, as files of recorded attention have them: "##" continues a word, a leading "▁", "Ġ" or
/// space begins one; letters of bytes and "<0xE4>" stand for their bytes. Where no piece has such a mark
/// nothing is known and every token stands alone.
void setWordsOfPieces(std::span<TokenLabel> labels);

/// The words that such a file gives by number, one a label; a negative one: the token stands alone. Their
/// texts are those of the pieces.
void setGivenWords(std::span<const double> words, std::span<TokenLabel> labels);

}  // namespace fovea::session
