// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/common_subsequence.h"

#include <algorithm>
#include <cstdlib>

namespace fovea::session {

namespace {

using Place = std::ptrdiff_t;
using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

// One search from (0, 0): reach[d][k] is how far into `first` d edits lead on diagonal first - second = k,
// kept for every d so that the way can be walked back.
class Search {
public:
    Search(std::span<const std::size_t> first, std::span<const std::size_t> second)
        : first_(first),
          second_(second),
          firstSize_(static_cast<Place>(first.size())),
          secondSize_(static_cast<Place>(second.size())) {}

    /// Where the search ended: the end of both, or the farthest place that `most` edits reach.
    std::pair<std::size_t, std::size_t> run(std::size_t most, Pairs& pairs) {
        Place edits = 0;
        Place diagonal = 0;
        while (!extend(edits, diagonal)) {
            if (edits == static_cast<Place>(most)) {
                diagonal = farthest(edits);
                break;
            }
            ++edits;
        }
        const Place x = at(edits, diagonal);
        walkBack(edits, diagonal, pairs);
        return {static_cast<std::size_t>(x), static_cast<std::size_t>(x - diagonal)};
    }

private:
    Place at(Place edits, Place diagonal) const {
        return reach_[static_cast<std::size_t>(edits)][static_cast<std::size_t>(diagonal + edits)];
    }
    // Where an edit leads before any equal items are passed; -1: nowhere inside the two sequences.
    Place entry(Place edits, Place diagonal) const {
        if (edits == 0) return 0;
        const Place before = edits - 1;
        Place x = -1;
        // From above, without an item of `first`; or from the left, with one.
        if (diagonal + 1 <= before) {
            const Place above = at(before, diagonal + 1);
            if (above - diagonal <= secondSize_) x = above;
        }
        if (diagonal - 1 >= -before) {
            const Place left = at(before, diagonal - 1);
            if (left >= 0 && left < firstSize_) x = std::max(x, left + 1);
        }
        return x;
    }
    bool extend(Place edits, Place& end) {
        reach_.emplace_back(static_cast<std::size_t>(2 * edits + 1), -1);
        for (Place diagonal = -edits; diagonal <= edits; diagonal += 2) {
            Place x = entry(edits, diagonal);
            while (x >= 0 && x < firstSize_ && x - diagonal < secondSize_ &&
                   first_[static_cast<std::size_t>(x)] == second_[static_cast<std::size_t>(x - diagonal)]) {
                ++x;
            }
            reach_.back()[static_cast<std::size_t>(diagonal + edits)] = x;
            if (x == firstSize_ && x - diagonal == secondSize_) {
                end = diagonal;
                return true;
            }
        }
        return false;
    }
    // Of equally far ones the nearest to the middle: items are then replaced, not all taken out first.
    Place farthest(Place edits) const {
        Place best = -edits;
        Place bestSum = -1;
        for (Place diagonal = -edits; diagonal <= edits; diagonal += 2) {
            const Place x = at(edits, diagonal);
            const Place sum = x < 0 ? -1 : 2 * x - diagonal;
            if (sum < bestSum || (sum == bestSum && std::abs(diagonal) >= std::abs(best))) continue;
            best = diagonal;
            bestSum = sum;
        }
        return best;
    }
    void walkBack(Place edits, Place diagonal, Pairs& pairs) const {
        for (; edits >= 0; --edits) {
            const Place start = entry(edits, diagonal);
            for (Place x = at(edits, diagonal); x > start; --x)
                pairs.emplace_back(static_cast<std::size_t>(x - 1),
                                   static_cast<std::size_t>(x - 1 - diagonal));
            if (edits == 0) break;
            const bool fromAbove = diagonal + 1 <= edits - 1 && at(edits - 1, diagonal + 1) == start;
            diagonal += fromAbove ? 1 : -1;
        }
        std::reverse(pairs.begin(), pairs.end());
    }

    std::span<const std::size_t> first_;
    std::span<const std::size_t> second_;
    Place firstSize_;
    Place secondSize_;
    std::vector<std::vector<Place>> reach_;
};

}  // namespace

Pairs commonSubsequence(std::span<const std::size_t> first, std::span<const std::size_t> second,
                        std::size_t mostDifferences) {
    Pairs all;
    std::size_t x = 0;
    std::size_t y = 0;
    while (x < first.size() && y < second.size()) {
        Pairs pairs;
        const std::size_t most = std::max<std::size_t>(1, mostDifferences);
        const auto end = Search(first.subspan(x), second.subspan(y)).run(most, pairs);
        for (const auto& [a, b] : pairs) all.emplace_back(a + x, b + y);
        x += end.first;
        y += end.second;
    }
    return all;
}

}  // namespace fovea::session
