// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/slot_table.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

/// What a pair of neighbouring pieces becomes, and how early.
struct Merge {
    std::uint32_t rank = 0;
    std::uint32_t joined = 0;  ///< id
};

/// The merges of a byte-pair encoding, by the ids of both pieces.
class MergeTable {
public:
    /// Reads an array of "left right" or ["left", "right"]. Both pieces and what they make (without
    /// the continuing prefix, `prefixSize` bytes, of the right one) have to be in the vocabulary.
    static Result<MergeTable> fromPart(const ConfigPart& part, const Vocabulary& vocabulary,
                                       std::size_t prefixSize);

    /// Reads a text with one pair a line, "left right", in order; a line "#version..." and empty lines
    /// are left out. `file` is named in complaints, with the line. Otherwise as `fromPart`.
    static Result<MergeTable> fromLines(std::string_view lines, const std::string& file,
                                        const Vocabulary& vocabulary, std::size_t prefixSize);

    /// Takes pairs whose ids are known; the index is the rank.
    struct IdPair {
        std::int64_t left = 0, right = 0, joined = 0;
    };
    static MergeTable fromIds(std::span<const IdPair> pairs);

    /// nullptr when the pair does not merge.
    const Merge* find(std::int64_t left, std::int64_t right) const;

private:
    struct Entry {
        std::uint64_t pair = 0;  // both ids
        Merge merge;
    };
    void reserve(std::size_t pairs);
    void add(const IdPair& ids, std::size_t rank);

    std::vector<Entry> entries_;
    SlotTable byPair_;
};

}  // namespace fovea::text
