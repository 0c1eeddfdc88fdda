// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/result.h"
#include "core/text/merge_table.h"
#include "core/text/sentencepiece_file.h"
#include "core/text/tokenizer_classes.h"
#include "core/text/tokenizer_plan.h"

namespace fovea::text {

/// What the reference library makes of a SentencePiece file for one of its classes.
Result<TokenizerPlan> planOfClass(const SentencePieceFile& file, const TokenizerSettings& settings,
                                  TokenizerKind kind);

/// What it makes of a SentencePiece file when no class of its own is known: the steps follow the file's own
/// settings.
Result<TokenizerPlan> planOfFile(const SentencePieceFile& file, const TokenizerSettings& settings);

/// The merges that make each of `pieces` from two others, where `joins(id)` says that it takes part, in the
/// order of `before(id, id)`; of one piece, those with the shorter left part first. SentencePiece files
/// keep no merges: byte pairs follow from the pieces. Cost O(bytes of pieces) for usual files.
Result<MergeTable> mergesOfPieces(const SentencePieceFile& file, const std::vector<std::string>& pieces,
                                  const std::function<bool(std::size_t)>& joins,
                                  const std::function<bool(std::size_t, std::size_t)>& before);

/// Special tokens (control pieces) and, unless left out, user-defined ones, as added tokens.
std::vector<AddedToken> addedPieces(const SentencePieceFile& file, bool userDefined);

/// Sections of a tokenizer.json.
nlohmann::json sequenceSection(const char* key, nlohmann::json steps);
nlohmann::json replaceSection(const char* kind, const char* pattern, const char* content);
nlohmann::json precompiledSection(const SentencePieceFile& file);
nlohmann::json metaspaceSection(const char* scheme, bool split);

}  // namespace fovea::text
