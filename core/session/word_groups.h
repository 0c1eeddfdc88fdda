// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/support/strong_index.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// The positions of one axis gathered into groups that follow each other: the tokens of a word are one, every
/// other position is one of its own. Padding is never part of a word.
class WordGroups {
public:
    /// Of labels, one a position. Cost O(positions).
    explicit WordGroups(std::span<const TokenLabel> tokens);
    /// Every position a group of its own.
    static WordGroups ofSinglePositions(std::size_t positions);

    std::size_t positions() const { return groupOf_.size(); }
    std::size_t count() const { return starts_.size() - 1; }
    std::size_t groupOf(std::size_t position) const { return groupOf_.at(position); }
    /// Positions [first, past) of a group.
    std::size_t firstOf(std::size_t group) const { return starts_.at(group); }
    std::size_t pastOf(std::size_t group) const { return starts_.at(group + 1); }
    std::size_t sizeOf(std::size_t group) const { return pastOf(group) - firstOf(group); }

    /// What a reader sees of each group: of a word its text, special and padding as its tokens are;
    /// `generated` where any of them is. Precondition: as many labels as positions.
    std::vector<TokenLabel> labels(std::span<const TokenLabel> tokens) const;

    bool operator==(const WordGroups&) const = default;

private:
    explicit WordGroups(std::size_t positions);

    std::vector<std::uint32_t> groupOf_;
    std::vector<std::size_t> starts_;  ///< of every group, and the end
};

/// Both axes of a site. An axis whose labels are not one a position has groups of single positions.
struct WordAxes {
    WordGroups queries;
    WordGroups keys;
};
WordAxes wordAxes(const Trace& trace, SiteIndex site);

/// `trace` as it is read by words: labels and patch grid are those of groups. Its records still hold the
/// scores of tokens, since a mechanism acts on those; outputs are left out. Cost O(positions).
std::shared_ptr<const Trace> tracedByWords(const Trace& trace);

/// True where some token is known to be part of a word, so that there is something to group.
bool tellsWords(const Trace& trace);

}  // namespace fovea::session
