// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

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

/// Byte-pair encoding, see byte_pair_encoding.cpp.
Result<std::unique_ptr<const TokenModel>> makeBytePairEncoding(const ConfigPart& part);

/// The likeliest way to cut a word, see unigram.cpp.
Result<std::unique_ptr<const TokenModel>> makeUnigram(const ConfigPart& part);

}  // namespace fovea::text
