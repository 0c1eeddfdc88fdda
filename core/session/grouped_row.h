// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: rows of weights read by words.

#include <cstddef>
#include <span>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/session/word_groups.h"

namespace fovea::session {

/// Sum of the weights of each group's keys. A weight that is NaN makes its group NaN. Cost O(keys).
std::vector<double> summedOverKeys(std::span<const double> weights, const WordGroups& keys);

/// The rows of the queries of one group made one:
///     W_gh = (1/r) sum over the r rows q of g that are not empty of sum over the keys k of h of w_qk,
/// so that W sums to one where every row does. Order does not matter. Empty rows are left out, unless all
/// are; an invalid one makes the whole invalid (NaN).
class GroupedRow {
public:
    explicit GroupedRow(const WordGroups& keys);

    /// A row of weights over all keys and the scores that it came from, which say what is masked. Cost
    /// O(keys).
    void add(RowState state, std::span<const double> weights, std::span<const float> scores);
    /// Ready for the next group.
    void clear();

    std::size_t rows() const { return rows_; }  ///< that were not empty
    RowState state() const;
    /// One a key: the mean before keys are summed; NaN of an invalid row.
    std::vector<double> ofTokens() const;
    std::vector<double> weights() const { return summedOverKeys(ofTokens(), *keys_); }  ///< one a group
    const std::vector<bool>& masked() const { return masked_; }  ///< all keys of the group, for every query

private:
    const WordGroups* keys_;
    std::vector<double> sums_;  ///< over the rows, one a key
    std::vector<bool> masked_;
    std::size_t rows_ = 0;
    bool invalid_ = false;
};

}  // namespace fovea::session
