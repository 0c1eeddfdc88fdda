// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/text/tokenizer_folder.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/text/folder_tokenizers.h"

namespace fovea::text {
namespace {

constexpr const char* kAll =
    "tokenizer.json, vocab.txt, vocab.json with merges.txt, a SentencePiece file (tokenizer.model, "
    "spiece.model, sentencepiece.bpe.model), or source.spm with target.spm and vocab.json";

/// Ways to write a tokenizer.
enum class Files { BytePairs, WordPieces, SentencePiece, Marian };

Files filesOf(TokenizerKind kind) {
    switch (kind) {
    case TokenizerKind::Gpt2:
    case TokenizerKind::Roberta:
    case TokenizerKind::Clip:
    case TokenizerKind::Qwen2:
    case TokenizerKind::GptNeoX: return Files::BytePairs;
    case TokenizerKind::Bert:
    case TokenizerKind::MPNet: return Files::WordPieces;
    case TokenizerKind::Marian: return Files::Marian;
    default: return Files::SentencePiece;
    }
}

/// The SentencePiece file of a folder: one that the settings name, or one with a usual name.
Result<std::optional<std::string>> sentencePieceName(const TokenizerSettings& settings) {
    for (const char* key : {"vocab_file", "spm_file", "sp_model_file"}) {
        auto name = settings.text(key, "");
        if (!name) return std::unexpected(name.error());
        // Only a name: a path could lead anywhere.
        const bool isName = name->find_first_of("/\\") == name->npos;
        if (isName && name->ends_with(".model") && settings.has(*name)) return std::optional(*name);
    }
    for (const char* name :
         {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "sentencepiece.model", "spm.model"}) {
        if (settings.has(name)) return std::optional<std::string>(name);
    }
    return std::optional<std::string>();
}

std::vector<const char*> namesOf(Files files) {
    switch (files) {
    case Files::BytePairs: return {"vocab.json", "merges.txt"};
    case Files::WordPieces: return {"vocab.txt"};
    case Files::Marian: return {"source.spm", "target.spm", "vocab.json"};
    default: return {};
    }
}

/// Files that are there, and files that are not.
struct Found {
    std::vector<const char*> present, missing;
    bool complete() const { return missing.empty() && !present.empty(); }
};

Found look(const TokenizerSettings& settings, Files files) {
    Found found;
    for (const char* name : namesOf(files)) {
        (settings.has(name) ? found.present : found.missing).push_back(name);
    }
    return found;
}

FolderTokenizer read(const TokenizerSettings& settings, Files files, TokenizerKind kind,
                     const std::optional<std::string>& sentencePiece) {
    switch (files) {
    case Files::BytePairs:
        return readBytePairFiles(settings, kind == TokenizerKind::Unknown ? TokenizerKind::Gpt2 : kind);
    case Files::WordPieces:
        return readBertVocabulary(settings, kind);
    case Files::Marian: return readMarianFiles(settings);
    default: return readSentencePieceFile(settings, kind, *sentencePiece);
    }
}

std::unexpected<Error> incomplete(const TokenizerSettings& settings, const Found& found) {
    return settings.error(fmt::format("has {} but not {}; all are needed", fmt::join(found.present, " and "),
                                      fmt::join(found.missing, " and ")));
}

}  // namespace

Result<std::shared_ptr<const Tokenizer>> readTokenizerFolder(const std::filesystem::path& folder) {
    const auto settings = TokenizerSettings::fromFolder(folder);
    if (!settings) return std::unexpected(settings.error());
    const auto chosen = tokenizerClass(*settings);
    const auto sentencePiece = sentencePieceName(*settings);
    if (!sentencePiece) return std::unexpected(sentencePiece.error());
    std::optional<Found> broken;
    const auto isThere = [&](Files files) {
        if (files == Files::SentencePiece) return sentencePiece->has_value();
        Found found = look(*settings, files);
        const bool complete = found.complete();
        // Of several sets that are not complete, the one that lacks least is meant.
        const bool nearest = !broken || found.missing.size() < broken->missing.size();
        if (!complete && !found.present.empty() && nearest) broken = std::move(found);
        return complete;
    };
    if (!chosen) return std::unexpected(chosen.error());
    if (chosen->kind != TokenizerKind::Unknown) {
        const Files files = filesOf(chosen->kind);
        if (isThere(files)) return read(*settings, files, chosen->kind, *sentencePiece);
        if (broken) return incomplete(*settings, *broken);
        if (chosen->told) {
            const std::vector<const char*> names = namesOf(files);
            return settings->error(fmt::format(
                "has no files for its tokenizer class {}: expected tokenizer.json or {}", chosen->name,
                names.empty()
                    ? "a SentencePiece file (tokenizer.model, spiece.model, sentencepiece.bpe.model)"
                    : fmt::format("{}", fmt::join(names, " and "))));
        }
    }
    for (const Files files : {Files::Marian, Files::BytePairs, Files::WordPieces, Files::SentencePiece}) {
        if (isThere(files)) return read(*settings, files, TokenizerKind::Unknown, *sentencePiece);
    }
    if (broken) return incomplete(*settings, *broken);
    return settings->error(fmt::format("has no tokenizer; expected one of {}", kAll));
}

}  // namespace fovea::text
