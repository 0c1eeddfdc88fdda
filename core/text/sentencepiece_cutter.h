// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/character_map.h"
#include "core/text/piece_index.h"
#include "core/text/piece_trie.h"
#include "core/text/sentencepiece_file.h"

namespace fovea::text {

/// A piece of a text, with its span in bytes of the source.
struct CutPiece {
    std::size_t id = 0;
    std::string text;  ///< the piece; of unknown ones, which are joined, what they stand for
    std::size_t first = 0, pastLast = 0;
};

/// Cuts texts as the SentencePiece library itself does with a file of its own, and joins pieces to texts.
/// Immutable. Source: sentencepiece/src: normalizer.cc, unigram_model.cc, bpe_model.cc,
/// sentencepiece_processor.cc.
class SentencePieceCutter {
public:
    explicit SentencePieceCutter(SentencePieceFile file);
    SentencePieceCutter(const SentencePieceCutter&) = delete;
    SentencePieceCutter& operator=(const SentencePieceCutter&) = delete;

    const SentencePieceFile& file() const { return file_; }

    /// `text` is UTF-8. Cost O(bytes · longest piece) for Unigram, O(n log n) pieces for BPE.
    std::vector<CutPiece> cut(std::string_view text) const;

    /// The text of pieces; control pieces are nothing, unknown ones their surface, and pieces that the
    /// file lacks stand for themselves.
    std::string join(std::span<const std::string> pieces) const;

private:
    /// A normalised text, and for each of its bytes, and its end, the place in the source.
    struct Normal {
        std::string text;
        std::vector<std::uint32_t> origins;
    };
    struct Cut {
        std::size_t id = 0;
        std::size_t first = 0, pastLast = 0;  // bytes of the normalised text
    };
    struct Symbol;
    class Agenda;

    Normal normalize(std::string_view text) const;
    CharacterMap::Match normalizedPrefix(std::string_view text) const;
    std::vector<Cut> cutLikeliest(std::string_view text) const;
    std::vector<Cut> cutByMerging(std::string_view text) const;
    std::size_t idOf(std::string_view piece) const;

    SentencePieceFile file_;
    std::optional<CharacterMap> map_;
    PieceTrie userDefined_;
    std::vector<std::string> cuttable_;  // by id; empty for pieces that no text is cut into
    PieceIndex index_;
    std::unordered_map<std::string_view, std::size_t> ids_;  // into file_; all pieces
    std::size_t longest_ = 0;
    float leastScore_ = 0;  // of normal pieces
};

/// The index of the character that each byte of a text belongs to, and one past the last for its end.
std::vector<std::uint32_t> characterIndices(std::string_view text);

}  // namespace fovea::text
