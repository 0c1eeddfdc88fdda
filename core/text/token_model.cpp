// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/token_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/io/message_text.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

using Made = Result<std::unique_ptr<const TokenModel>>;
using Tokens = Result<std::vector<ModelToken>>;

/// The whole word as the unknown token.
Tokens unknownWord(const Vocabulary& vocabulary, const std::string& unknown, std::string_view word) {
    const auto id = vocabulary.find(unknown);
    if (!id) {
        return fail(fmt::format("the vocabulary has neither pieces for \"{}\" nor the unknown token \"{}\"",
                                io::quotable(word), io::quotable(unknown)));
    }
    return std::vector<ModelToken>{{*id, unknown, {0, word.size()}}};
}

class WordPiece final : public TokenModel {
public:
    WordPiece(Vocabulary vocabulary, WordPieceSettings settings)
        : vocabulary_(std::move(vocabulary)), settings_(std::move(settings)) {}

    Tokens tokenize(std::string_view word) const override {
        if (countCodePoints(word) > settings_.maxCharacters) {
            return unknownWord(vocabulary_, settings_.unknown, word);
        }
        std::vector<ModelToken> tokens;
        for (std::size_t first = 0; first < word.size(); first = tokens.back().span.pastLast) {
            if (!longestPiece(word, first, tokens)) return unknownWord(vocabulary_, settings_.unknown, word);
        }
        return tokens;
    }

    const Vocabulary& vocabulary() const override { return vocabulary_; }

private:
    bool longestPiece(std::string_view word, std::size_t first, std::vector<ModelToken>& tokens) const {
        std::string piece = first > 0 ? settings_.continuingPrefix : std::string();
        const std::size_t prefix = piece.size();
        // The cut may fall inside a character: such a piece is in no vocabulary.
        const std::size_t room = vocabulary_.longestPiece() > prefix
                ? vocabulary_.longestPiece() - prefix : 0;
        piece += word.substr(first, room);
        while (piece.size() > prefix) {
            if (const auto id = vocabulary_.find(piece)) {
                const std::size_t pastLast = first + piece.size() - prefix;
                tokens.push_back({*id, std::move(piece), {first, pastLast}});
                return true;
            }
            piece.resize(piece.size() - codePointBefore(piece, piece.size()).size);
        }
        return false;
    }

    Vocabulary vocabulary_;
    WordPieceSettings settings_;
};

class WordLevel final : public TokenModel {
public:
    WordLevel(Vocabulary vocabulary, std::string unknown)
        : vocabulary_(std::move(vocabulary)), unknown_(std::move(unknown)) {}

    Tokens tokenize(std::string_view word) const override {
        const auto id = vocabulary_.find(word);
        if (!id) return unknownWord(vocabulary_, unknown_, word);
        return std::vector<ModelToken>{{*id, std::string(word), {0, word.size()}}};
    }

    const Vocabulary& vocabulary() const override { return vocabulary_; }

private:
    Vocabulary vocabulary_;
    std::string unknown_;
};

Made readWordPiece(const ConfigPart& part) {
    auto vocabulary = Vocabulary::ofModel(part);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    auto unknown = part.text("unk_token"), prefix = part.text("continuing_subword_prefix");
    const auto longest = part.count("max_input_chars_per_word");
    if (!unknown) return std::unexpected(unknown.error());
    if (!prefix) return std::unexpected(prefix.error());
    if (!longest) return std::unexpected(longest.error());
    return makeWordPiece(std::move(*vocabulary), {std::move(*unknown), std::move(*prefix), *longest});
}

Made readWordLevel(const ConfigPart& part) {
    auto vocabulary = Vocabulary::ofModel(part);
    if (!vocabulary) return std::unexpected(vocabulary.error());
    auto unknown = part.text("unk_token");
    if (!unknown) return std::unexpected(unknown.error());
    return makeWordLevel(std::move(*vocabulary), std::move(*unknown));
}

/// Early files do not name their model's type.
std::string guessedType(const ConfigPart& part) {
    if (part.find("merges")) return "BPE";
    if (part.find("unk_id")) return "Unigram";
    return part.find("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

}  // namespace

std::unique_ptr<const TokenModel> makeWordPiece(Vocabulary vocabulary, WordPieceSettings settings) {
    return std::make_unique<WordPiece>(std::move(vocabulary), std::move(settings));
}

std::unique_ptr<const TokenModel> makeWordLevel(Vocabulary vocabulary, std::string unknown) {
    return std::make_unique<WordLevel>(std::move(vocabulary), std::move(unknown));
}

Made makeTokenModel(const ConfigPart& part) {
    const auto type = part.find("type") ? part.text("type") : Result<std::string>(guessedType(part));
    if (!type) return std::unexpected(type.error());
    if (*type == "WordPiece") return readWordPiece(part);
    if (*type == "BPE") return makeBytePairEncoding(part);
    if (*type == "Unigram") return makeUnigram(part);
    if (*type == "WordLevel") return readWordLevel(part);
    return part.unsupported(*type, "WordPiece, BPE, Unigram, WordLevel");
}

}  // namespace fovea::text
