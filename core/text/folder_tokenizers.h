// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "core/support/result.h"
#include "core/text/tokenizer.h"
#include "core/text/tokenizer_classes.h"
#include "core/text/tokenizer_settings.h"

namespace fovea::text {

/// Readers of folders that have no tokenizer.json. Each follows what the reference library makes of such
/// a folder for the class given.
using FolderTokenizer = Result<std::shared_ptr<const Tokenizer>>;

/// `vocab.json` and `merges.txt`: byte pairs of GPT-2's, RoBERTa's, CLIP's, Qwen2's or GPT-NeoX's kind.
FolderTokenizer readBytePairFiles(const TokenizerSettings& settings, TokenizerKind kind);

/// `vocab.txt`: word pieces of BERT's or MPNet's kind; for `TokenizerKind::Unknown` BERT's, unless the pieces
/// write molecules.
FolderTokenizer readBertVocabulary(const TokenizerSettings& settings, TokenizerKind kind);

/// A SentencePiece file; for `TokenizerKind::Unknown` as the file itself says.
FolderTokenizer readSentencePieceFile(const TokenizerSettings& settings, TokenizerKind kind,
                                      const std::string& name);

/// Marian's `source.spm`, `target.spm` and `vocab.json`.
FolderTokenizer readMarianFiles(const TokenizerSettings& settings);

/// A text file that has to be UTF-8.
Result<std::string> readUtf8File(const std::filesystem::path& file);

}  // namespace fovea::text
