// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/grouped_row.h"

#include <algorithm>
#include <limits>

#include "core/support/precondition.h"

namespace fovea::session {

std::vector<double> summedOverKeys(std::span<const double> weights, const WordGroups& keys) {
    require(weights.size() == keys.positions(), "one weight a key");
    std::vector<double> sums(keys.count(), 0.0);
    for (std::size_t key = 0; key < weights.size(); ++key) sums[keys.groupOf(key)] += weights[key];
    return sums;
}

GroupedRow::GroupedRow(const WordGroups& keys) : keys_(&keys) { clear(); }

void GroupedRow::clear() {
    sums_.assign(keys_->positions(), 0.0);
    masked_.assign(keys_->count(), true);
    rows_ = 0;
    invalid_ = false;
}

void GroupedRow::add(RowState state, std::span<const double> weights, std::span<const float> scores) {
    require(weights.size() == keys_->positions() && scores.size() == weights.size(),
            "one weight and one score a key");
    for (std::size_t key = 0; key < scores.size(); ++key) {
        if (!(scores[key] <= maskedScore)) masked_[keys_->groupOf(key)] = false;
    }
    if (state == RowState::Invalid) invalid_ = true;
    if (state != RowState::Ok) return;
    ++rows_;
    for (std::size_t key = 0; key < weights.size(); ++key) sums_[key] += weights[key];
}

RowState GroupedRow::state() const {
    if (invalid_) return RowState::Invalid;
    return rows_ == 0 ? RowState::Empty : RowState::Ok;
}

std::vector<double> GroupedRow::ofTokens() const {
    if (invalid_) return std::vector<double>(sums_.size(), std::numeric_limits<double>::quiet_NaN());
    std::vector<double> weights = sums_;
    if (rows_ > 1) {
        for (double& weight : weights) weight /= static_cast<double>(rows_);
    }
    return weights;
}

}  // namespace fovea::session
