// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/folder_tokenizers.h"
#include "core/text/sentencepiece_cutter.h"
#include "core/text/sentencepiece_plan.h"
#include "core/text/utf8.h"

namespace fovea::text {
namespace {

/// A SentencePiece file by itself: no tokens are added, and none is recognised in a text.
class PlainSentencePiece final : public Tokenizer {
public:
    explicit PlainSentencePiece(SentencePieceFile file) : cutter_(std::move(file)) {}

    Result<Encoding> encode(std::string_view text, std::optional<std::string_view> pair,
                            bool) const override {
        Encoding encoding;
        int sequence = 0;
        for (const auto& source : {std::optional(text), pair}) {
            if (!source) continue;
            if (auto sound = checkUtf8(*source); !sound) return std::unexpected(sound.error());
            const auto characters = characterIndices(*source);
            for (const CutPiece& piece : cutter_.cut(*source)) {
                encoding.tokens.push_back({.id = static_cast<std::int64_t>(piece.id),
                                           .piece = cutter_.file().pieces[piece.id].text,
                                           .first = characters[piece.first],
                                           .pastLast = characters[piece.pastLast],
                                           .typeId = sequence,
                                           .sequence = sequence});
            }
            ++sequence;
        }
        return encoding;
    }

    Result<std::string> decode(std::span<const std::int64_t> ids) const override {
        std::vector<std::string> pieces;
        for (const std::int64_t id : ids) {
            if (auto known = piece(id)) pieces.push_back(std::move(*known));
        }
        return cutter_.join(pieces);
    }

    std::optional<std::string> piece(std::int64_t id) const override {
        if (id < 0 || static_cast<std::size_t>(id) >= vocabularySize()) return std::nullopt;
        return cutter_.file().pieces[static_cast<std::size_t>(id)].text;
    }

    bool isSpecial(std::int64_t id) const override {
        return id >= 0 && static_cast<std::size_t>(id) < vocabularySize() &&
               cutter_.file().pieces[static_cast<std::size_t>(id)].type ==
                   SentencePieceFile::PieceType::Control;
    }

    std::size_t vocabularySize() const override { return cutter_.file().pieces.size(); }

private:
    SentencePieceCutter cutter_;
};

/// Nothing beside the file says how it is meant.
bool isAlone(const TokenizerSettings& settings) {
    for (const char* name :
         {"config.json", "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
        if (settings.has(name)) return false;
    }
    return true;
}

}  // namespace

FolderTokenizer readSentencePieceFile(const TokenizerSettings& settings, TokenizerKind kind,
                                      const std::string& name) {
    auto file = SentencePieceFile::read(settings.folder() / name);
    if (!file) return std::unexpected(file.error());
    if (isAlone(settings)) return std::make_shared<PlainSentencePiece>(std::move(*file));
    // Files of this name come from fairseq, whose models have its special tokens before the pieces.
    if (kind == TokenizerKind::Unknown && name == "sentencepiece.bpe.model") kind = TokenizerKind::Fairseq;
    auto plan =
        kind == TokenizerKind::Unknown ? planOfFile(*file, settings) : planOfClass(*file, settings, kind);
    if (!plan) return std::unexpected(plan.error());
    return makeTokenizer(std::move(*plan), settings);
}

}  // namespace fovea::text
