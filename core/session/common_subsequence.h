// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace fovea::session {

/// A common subsequence of two sequences as pairs of places, ascending in both: the longest where they
/// differ in at most `mostDifferences` places, found by Myers' greedy search (An O(ND) difference
/// algorithm and its variations, 1986). Beyond that the search goes on from the farthest place reached.
/// Cost O((n + m) min(d, mostDifferences)) time, O(min(d, mostDifferences)^2) memory.
std::vector<std::pair<std::size_t, std::size_t>> commonSubsequence(std::span<const std::size_t> first,
                                                                   std::span<const std::size_t> second,
                                                                   std::size_t mostDifferences = 1000);

}  // namespace fovea::session
