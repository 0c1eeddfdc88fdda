// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::text {

/// One token of an encoded text.
struct Token {
    std::int64_t id = 0;
    std::string piece;        ///< as in the vocabulary: "##ing", "▁the", "<0x41>"
    std::size_t first = 0;    ///< source span in Unicode code points of its own text ...
    std::size_t pastLast = 0; ///< ... half open; 0, 0 for tokens that the post-processor added
    std::int64_t typeId = 0;
    bool special = false;     ///< added by the post-processor, or a special token found in the text
    int sequence = 0;         ///< 0 first text, 1 second text; -1 added by the post-processor
};

struct Encoding {
    std::vector<Token> tokens;
    std::vector<std::int64_t> ids() const;
    std::vector<std::int64_t> typeIds() const;
};

/// A token that is recognised in a text as a whole, however the text around it is cut.
struct RecognisedToken {
    std::int64_t id = 0;
    std::string content;   ///< what to write for it: "[SEP]", "</s>"
    bool special = false;  ///< left out when ids are decoded

    bool operator==(const RecognisedToken&) const = default;
};

/// Turns text into the ids that a model was trained on, exactly as the reference tokenizer of its
/// folder does. Immutable; may be used from several threads.
class Tokenizer {
public:
    /// Reads `tokenizer.json` from a model folder, or else the files that older tokenizers are written in
    /// (tokenizer_folder.h tells which, and in which order). A part or a class that is not supported is an
    /// error that names it. Padding and truncation sections are ignored.
    static Result<std::shared_ptr<const Tokenizer>> fromFolder(const std::filesystem::path& folder);
    virtual ~Tokenizer() = default;

    /// `text` is UTF-8 of at most 16 MiB (anything else is refused). Special tokens come from the
    /// post-processor alone.
    virtual Result<Encoding> encode(std::string_view text,
                                    std::optional<std::string_view> pair = std::nullopt,
                                    bool addSpecialTokens = true) const = 0;
    /// Text of the ids, special tokens left out.
    virtual Result<std::string> decode(std::span<const std::int64_t> ids) const = 0;
    /// The piece of an id; none when the vocabulary has no such id.
    virtual std::optional<std::string> piece(std::int64_t id) const = 0;
    virtual bool isSpecial(std::int64_t id) const = 0;
    /// Special and other added tokens, by id; none for a tokenizer that recognises none.
    virtual std::vector<RecognisedToken> recognisedTokens() const { return {}; }
    /// Largest id + 1, added tokens included.
    virtual std::size_t vocabularySize() const = 0;
};

}  // namespace fovea::text
