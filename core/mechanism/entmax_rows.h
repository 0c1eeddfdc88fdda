// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "core/mechanism/entmax.h"

namespace fovea {

/// How many rows of an array were not Ok.
struct RowCounts {
    std::size_t empty = 0;
    std::size_t invalid = 0;

    void add(RowState state) {
        empty += state == RowState::Empty;
        invalid += state == RowState::Invalid;
    }
    bool operator==(const RowCounts&) const = default;
};

/// `entmax` of every row of an array (rows, columns) in C order, on the widest vector unit of this processor.
/// Float32 rows are solved in float32 where that is enough and in double where it is not: weights differ from
/// those of `entmax` by at most 2e-6 for alpha in [1, 10], and every row's weights sum to 1 within 1e-6.
/// Double rows are those of `entmax`. Limits, masks, infinities and NaN as in `entmax`. `threads` >= 1
/// share the rows where there is work for each; the result does not depend on their number. `scores` and
/// `weights`: equal sizes, a multiple of `columns`; they may be the same memory, not overlap else. Cost:
/// about one pass of softmax; nothing is allocated per row.
RowCounts entmaxRows(std::span<const float> scores, std::size_t columns, EntmaxParameters parameters,
                     std::span<float> weights, std::size_t threads = 1);
RowCounts entmaxRows(std::span<const double> scores, std::size_t columns, EntmaxParameters parameters,
                     std::span<double> weights, std::size_t threads = 1);

/// The vector-Jacobian product of every row, gradient = (dp/dz)' upstream, from the weights p of
/// `entmaxRows`:
///     s_i = p_i^(2-alpha) on the support, 0 elsewhere; gradient = s (v - <s, v>/sum s)/T.
/// Rows of zeros get zeros, rows of NaN NaN; T = 0 and alpha = infinity: 0. All three arrays have equal
/// sizes.
void entmaxGradientRows(std::span<const float> weights, std::span<const float> upstream, std::size_t columns,
                        EntmaxParameters parameters, std::span<float> gradient, std::size_t threads = 1);

}  // namespace fovea
