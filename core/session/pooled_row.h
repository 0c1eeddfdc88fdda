// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: discrete weights of one query or of several made one.

#include <cstddef>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/session/evaluation.h"
#include "core/trace/score_source.h"

namespace fovea::session {

/// Sizes: keys.
struct PooledRow {
    RowState state = RowState::Ok;
    std::vector<double> weights;
    std::vector<bool> masked;   ///< for each of the queries
    std::size_t rows = 0;       ///< pooled: those that are not empty
    std::size_t support = 0;    ///< of one row by its threshold, of several the positive weights
    double threshold = 0;       ///< NaN for several, and where a row has none
};

/// The rows of `selection` under `parameters`. Empty rows are left out, unless all are; one invalid
/// row makes the whole invalid (NaN). Precondition: indices in range. Cost: one entmax a query.
PooledRow pooledRow(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters);

}  // namespace fovea::session
