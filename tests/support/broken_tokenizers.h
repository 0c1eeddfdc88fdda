// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/broken_files.h"

namespace fovea::test {

/// Small sound files of tokenizers, which the catalogues below break in one way each.
std::string soundWordList();       ///< vocab.txt
std::string soundVocabulary();     ///< vocab.json, which goes with soundMerges()
std::string soundMerges();         ///< merges.txt
std::string soundSentencePiece();  ///< tokenizer.model, Unigram
std::string soundTokenizerFile();  ///< tokenizer.json, WordPiece

/// tokenizer.json of three kinds as documents, and such a document with a value changed or left out.
nlohmann::json wordPieceDocument();
nlohmann::json bytePairDocument();
nlohmann::json unigramDocument();
nlohmann::json with(nlohmann::json document, const char* pointer, nlohmann::json value);
nlohmann::json without(nlohmann::json document, const char* pointer);

/// Catalogues of defects. Each file is refused as the only one of its folder; that of a vocabulary beside
/// soundMerges(), that of merges beside soundVocabulary().
std::vector<BrokenFile> brokenWordLists();
std::vector<BrokenFile> brokenVocabularies();
std::vector<BrokenFile> brokenMerges();
std::vector<BrokenFile> brokenSentencePiece();
std::vector<BrokenFile> brokenTokenizerFiles();

/// Parts of SentencePiece files: the wire format of protocol buffers.
std::string wireVarint(std::uint64_t value);
std::string wireNumber(std::uint32_t field, std::uint64_t value);
std::string wireBytes(std::uint32_t field, std::string_view bytes);
std::string wireFloat(std::uint32_t field, float value);
/// A piece of a SentencePiece file, of the types 1 normal, 2 unknown, 3 control, 4 user-defined, 5 unused,
/// 6 byte.
std::string sentencePiece(std::string_view text, float score, std::uint64_t type = 1);

}  // namespace fovea::test
