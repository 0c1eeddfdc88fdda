// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"
#include "core/text/normalizers.h"
#include "core/text/piece_trie.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

/// A token that is recognised in the text as a whole, before the text is cut into words.
struct AddedToken {
    std::string content;
    bool singleWord = false;  ///< not inside a word
    bool leftStrip = false;   ///< takes the spaces before it ...
    bool rightStrip = false;  ///< ... and after it
    bool normalized = false;  ///< is looked for in the normalised text
    bool special = false;     ///< left out when ids are decoded
    std::string piece = {};   ///< how it is shown: what the normalizer makes of `content`, or that itself

    static Result<AddedToken> fromPart(const ConfigPart& part);
};

/// A part of a text, and the added token that it is, if any.
struct AddedTokenPart {
    ByteSpan span;
    std::optional<std::int64_t> id;
};

/// The added tokens of a tokenizer, with their ids beside those of the model's vocabulary.
class AddedTokens {
public:
    /// A token that is in `vocabulary` keeps its id there, others follow the largest size or id;
    /// ids that a file declares are not looked at, as in the reference. `normalizer` may be null.
    static Result<AddedTokens> make(std::vector<AddedToken> tokens, const Vocabulary& vocabulary,
                                    const Normalizer* normalizer);

    /// Cuts the text as it came / as it was normalised at the tokens that are looked for there; the
    /// leftmost is found first, and of several the longest.
    std::vector<AddedTokenPart> findInSource(std::string_view text) const { return find(text, source_); }
    std::vector<AddedTokenPart> findInNormalized(std::string_view text) const {
        return find(text, normalized_);
    }

    /// nullptr when no added token has this id.
    const std::string* piece(std::int64_t id) const;
    /// Whether a token with this id is marked as special.
    bool isSpecial(std::int64_t id) const;
    /// All of them by id, as a reader would write them.
    std::vector<RecognisedToken> recognised() const;
    /// Whether decoding leaves out this piece. A special token whose piece is not its content, because
    /// it was normalised, stays, as in the reference.
    bool isLeftOut(const std::string& piece) const { return special_.contains(piece); }
    std::size_t pastLastId() const { return pastLastId_; }

private:
    std::vector<AddedTokenPart> find(std::string_view text, const PieceTrie& trie) const;

    std::unordered_map<std::int64_t, AddedToken> tokens_;
    std::unordered_set<std::string> special_;
    PieceTrie source_, normalized_;
    std::size_t pastLastId_ = 0;
};

}  // namespace fovea::text
