// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/slot_table.h"

namespace fovea::text {

/// Hash of pieces that can be looked up by a view of a larger text.
struct PieceHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view piece) const { return std::hash<std::string_view>{}(piece); }
};
template <class Value>
using PieceMap = std::unordered_map<std::string, Value, PieceHash, std::equal_to<>>;

/// Pieces and their ids, both ways. Ids need not be dense.
class Vocabulary {
public:
    /// Reads the member "vocab" of a model's section, an object of piece: id. Ids that are not numbers
    /// of 32 bits, or that two pieces share, are refused.
    static Result<Vocabulary> ofModel(const ConfigPart& model);
    /// Reads a text with one piece a line; the line number, from 0, is the id. A piece that comes
    /// twice has the later id.
    static Vocabulary fromLines(std::string_view lines);

    /// Piece i has the id i; a piece that comes twice is found by its later id.
    static Vocabulary fromPieces(const std::vector<std::string>& pieces);

    std::optional<std::int64_t> find(std::string_view piece) const;
    /// nullptr when there is no such id.
    const std::string* piece(std::int64_t id) const;
    /// How many different pieces there are.
    std::size_t size() const { return size_; }
    /// Largest id + 1.
    std::size_t pastLastId() const { return pastLastId_; }
    /// Bytes of the longest piece.
    std::size_t longestPiece() const { return longestPiece_; }

private:
    struct Entry {
        std::string piece;
        std::int64_t id = 0;  // −1: the piece came again, with another id
    };

    void reserve(std::size_t pieces);
    const Entry* entryOf(std::string_view piece) const;
    /// A piece that is there already gets the new id; whether its old one stays is for the caller to say.
    void add(std::string piece, std::int64_t id, bool keepsOldId);

    std::vector<Entry> entries_;
    SlotTable byPiece_, byId_;
    std::size_t size_ = 0;
    std::size_t pastLastId_ = 0;
    std::size_t longestPiece_ = 0;
};

}  // namespace fovea::text
