// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"

namespace fovea::text {

/// What a SentencePiece file (tokenizer.model, spiece.model, *.spm) says. Ids are indices of pieces.
struct SentencePieceFile {
    enum class PieceType { Normal = 1, Unknown = 2, Control = 3, UserDefined = 4, Unused = 5, Byte = 6 };
    enum class ModelType { Unigram = 1, Bpe = 2 };

    struct Piece {
        std::string text;  ///< UTF-8, not empty, no two alike; spaces are written U+2581
        float score = 0;   ///< finite: a log probability (Unigram) or minus the rank of a merge (BPE)
        PieceType type = PieceType::Normal;
    };

    std::string name;  ///< the file, for complaints
    std::vector<Piece> pieces;
    ModelType model = ModelType::Unigram;
    std::size_t unknown = 0;         ///< the one piece of that type
    std::int64_t unknownId = 0;      ///< what the trainer calls the unknown id; below the number of pieces
    std::int64_t beginId = 1, endId = 2;  ///< -1: none
    std::string unknownText = "<unk>", beginText = "<s>", endText = "</s>";
    std::string unknownSurface = " \xE2\x81\x87 ";  ///< what an unknown piece is when decoded
    bool byteFallback = false;       ///< all 256 byte pieces <0x00> to <0xFF> are there
    bool spaceAsSuffix = false;      ///< the mark of a space ends a word instead of beginning it
    std::string characterMap;        ///< see precompiled_normalizer.cpp; may be empty
    bool dummyPrefix = true;         ///< a text begins as if after a space
    bool removeExtraSpaces = true;   ///< none at the ends, no two side by side
    bool escapeSpaces = true;        ///< spaces are written U+2581

    /// Reads a file of at most 128 MiB.
    static Result<SentencePieceFile> read(const std::filesystem::path& file);
    /// The same for bytes in memory; `name` is what complaints give.
    static Result<SentencePieceFile> parse(std::string_view bytes, const std::string& name);
};

}  // namespace fovea::text
