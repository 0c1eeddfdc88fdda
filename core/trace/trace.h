// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/trace/patch_grid.h"
#include "core/trace/score_source.h"
#include "core/trace/site.h"

namespace fovea {

/// What a token has of a character that several tokens write together: bytes of a letter, a mark behind its
/// base, the parts of a flag. A character is what readers take for one: a grapheme cluster.
struct CharacterPart {
    std::string character = {};   ///< all of it; empty where no character is shared
    std::uint32_t index = 0;      ///< which of its tokens this is, from 0
    std::uint32_t count = 1;      ///< how many write it
    std::uint32_t firstByte = 0;  ///< bytes [first, past) of `character` that this token writes ...
    std::uint32_t pastByte = 0;   ///< ... equal where the piece does not tell

    /// A token before it began the character, and shows it.
    bool continues() const { return index > 0; }
    bool operator==(const CharacterPart&) const = default;
};

/// What the reader sees of one position of the input.
struct TokenLabel {
    std::int64_t id = 0;
    std::string text;   ///< source text; the piece for special tokens
    std::string piece;  ///< raw piece of the vocabulary
    bool special = false;
    bool spaceBefore = false;  ///< white space stood before it in the source
    bool padding = false;      ///< masked by the attention mask
    int sequence = 0;          ///< 0 or 1 for the texts of a pair; -1 for added tokens
    bool generated = false;    ///< the model wrote it
    /// The word of its text: tokens that follow each other with the same number are pieces of one, as far
    /// as they are of one sequence. None: it stands alone.
    std::optional<std::uint32_t> word = {};
    std::string wordText = {};  ///< of the first token of a word: the word as the text has it
    /// Of a character shared with others: the first of its tokens shows it in `text`, whole, those behind it
    /// show only what begins in them.
    CharacterPart part = {};
    std::size_t first = 0;     ///< source span in code points of its own text ...
    std::size_t pastLast = 0;  ///< ... half open; equal where it has none
};

/// One site of a run.
struct AttentionRecord {
    Site site;
    std::shared_ptr<const ScoreSource> scores;
    EntmaxParameters applied;  ///< the mechanism that the model used here during this run
};

/// One named output of the model, float32, C order, without a batch axis.
struct OutputArray {
    std::string name;  ///< "logits", "last_hidden_state", ...
    std::vector<std::size_t> shape;
    std::vector<float> values;
};

/// What one run of a model recorded. Immutable once made; shared between threads.
struct Trace {
    std::vector<AttentionRecord> records;
    std::vector<OutputArray> outputs;
    std::vector<TokenLabel> tokens;  ///< filled by whoever knows the tokenizer; one a position
    /// Positions of the decoder of a model of two stacks, or queries that are other positions than keys;
    /// empty: every site has `tokens` on both axes.
    std::vector<TokenLabel> targetTokens;
    std::optional<PatchGrid> grid;   ///< where the positions hold a picture

    /// Labels of the queries and of the keys of a site of that kind.
    std::span<const TokenLabel> queryTokens(SiteKind kind) const;
    std::span<const TokenLabel> keyTokens(SiteKind kind) const;
    std::span<const TokenLabel> queryTokens(SiteIndex site) const;
    std::span<const TokenLabel> keyTokens(SiteIndex site) const;
    const OutputArray* findOutput(std::string_view name) const;
};

}  // namespace fovea
