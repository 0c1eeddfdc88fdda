// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: discrete weights of one query or of several made one.

#include <cstddef>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/session/evaluation.h"
#include "core/session/word_groups.h"
#include "core/trace/score_source.h"

namespace fovea::session {

/// Sizes: keys, or groups of keys.
struct PooledRow {
    RowState state = RowState::Ok;
    std::vector<double> weights;
    std::vector<bool> masked;   ///< for each of the queries
    std::size_t rows = 0;       ///< pooled: those that are not empty
    std::size_t support = 0;    ///< of one row by its threshold, of several the positive weights
    double threshold = 0;       ///< NaN for several, and where a row has none
    std::vector<double> ofTokens = {};  ///< by words: one a key, see RowEvaluation
};

/// The rows of `selection` under `parameters`. Empty rows are left out, unless all are; one invalid
/// row makes the whole invalid (NaN). Precondition: indices in range. Cost: one entmax a query.
PooledRow pooledRow(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters);

/// The same by words: each of the groups of queries that `selection`'s queries are in gives one row, the mean
/// of its queries' summed over the keys of every group; several are pooled as single queries are. Where the
/// groups are single positions the two agree. Cost: one entmax a query of those groups.
PooledRow pooledWords(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters,
                      const WordAxes& axes);

}  // namespace fovea::session
