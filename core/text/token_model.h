// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

class MergeTable;

/// A piece of a word as the model cut it; `span` in bytes of the word.
struct ModelToken {
    std::int64_t id = 0;
    std::string piece;
    ByteSpan span;
};

/// Cuts words into the pieces of its vocabulary. Immutable.
class TokenModel {
public:
    virtual ~TokenModel() = default;
    /// `word` is well-formed UTF-8 and not empty.
    virtual Result<std::vector<ModelToken>> tokenize(std::string_view word) const = 0;
    virtual const Vocabulary& vocabulary() const = 0;
};

/// The model that the "model" section of a tokenizer file describes.
Result<std::unique_ptr<const TokenModel>> makeTokenModel(const ConfigPart& part);

/// Longest piece first, from left to right; pieces inside a word carry a prefix. A word that cannot
/// be cut, or is too long, is the unknown token as a whole. At most characters × longest piece steps.
struct WordPieceSettings {
    std::string unknown = "[UNK]";
    std::string continuingPrefix = "##";
    std::uint64_t maxCharacters = 100;
};
std::unique_ptr<const TokenModel> makeWordPiece(Vocabulary vocabulary, WordPieceSettings settings);

/// Every word is one piece, or the unknown token as a whole.
std::unique_ptr<const TokenModel> makeWordLevel(Vocabulary vocabulary, std::string unknown);

/// Byte-pair encoding, see byte_pair_encoding.cpp.
struct BytePairSettings {
    std::optional<std::string> unknown;
    std::string continuingPrefix;  ///< before characters that do not begin the word
    std::string endSuffix;         ///< after the character that ends it
    bool fuseUnknown = false;      ///< neighbouring unknown characters are one token
    bool byteFallback = false;     ///< unknown characters become tokens <0x00> to <0xFF>
    bool ignoreMerges = false;     ///< a word that is in the vocabulary is not cut
};
Result<std::unique_ptr<const TokenModel>> makeBytePairEncoding(const ConfigPart& part);
/// `merges` refers to ids of `vocabulary`.
std::unique_ptr<const TokenModel> makeBytePairEncoding(Vocabulary vocabulary, MergeTable merges,
                                                       BytePairSettings settings);

/// The likeliest way to cut a word, see unigram.cpp.
struct ScoredPieces {
    std::vector<std::string> pieces;  ///< piece i has the id i
    std::vector<double> scores;       ///< log probabilities, as many as pieces
};
Result<std::unique_ptr<const TokenModel>> makeUnigram(const ConfigPart& part);
/// `unknown` is an id below the number of pieces; without it, unknown characters are an error.
std::unique_ptr<const TokenModel> makeUnigram(ScoredPieces scored, std::optional<std::int64_t> unknown,
                                              bool byteFallback);

}  // namespace fovea::text
