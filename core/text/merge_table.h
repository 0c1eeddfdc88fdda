// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/vocabulary.h"

namespace fovea::text {

/// What a pair of neighbouring pieces becomes, and how early.
struct Merge {
    std::size_t rank = 0;
    std::int64_t joined = 0;
};

/// The merges of a byte-pair encoding, by the ids of both pieces.
class MergeTable {
public:
    /// Reads an array of "left right" or ["left", "right"]. Both pieces and what they make (without
    /// the continuing prefix, `prefixSize` bytes, of the right one) have to be in the vocabulary.
    static Result<MergeTable> fromPart(const ConfigPart& part, const Vocabulary& vocabulary,
                                       std::size_t prefixSize);

    /// nullptr when the pair does not merge.
    const Merge* find(std::int64_t left, std::int64_t right) const;

private:
    std::unordered_map<std::uint64_t, Merge> merges_;
};

}  // namespace fovea::text
