// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/pooled_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fovea::session {

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

void addRow(PooledRow& pooled, const std::vector<double>& weights, QueryPooling pooling) {
    ++pooled.rows;
    for (std::size_t key = 0; key < weights.size(); ++key) {
        double& sum = pooled.weights[key];
        sum = pooling == QueryPooling::Max ? std::max(sum, weights[key]) : sum + weights[key];
    }
}

void finishSeveral(PooledRow& pooled, QueryPooling pooling) {
    pooled.threshold = notANumber;
    if (pooled.state == RowState::Invalid) {
        std::fill(pooled.weights.begin(), pooled.weights.end(), notANumber);
        return;
    }
    if (pooled.rows == 0) pooled.state = RowState::Empty;
    if (pooling == QueryPooling::Mean && pooled.rows > 0) {
        for (double& weight : pooled.weights) weight /= static_cast<double>(pooled.rows);
    }
    pooled.support = static_cast<std::size_t>(std::count_if(pooled.weights.begin(), pooled.weights.end(),
                                                            [](double weight) { return weight > 0; }));
}

}  // namespace

PooledRow pooledRow(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters) {
    std::vector<QueryIndex> queries{selection.query};
    queries.insert(queries.end(), selection.more.begin(), selection.more.end());
    PooledRow pooled;
    pooled.weights.assign(source.keys(), 0.0);
    pooled.masked.assign(source.keys(), true);
    std::vector<float> scores(source.keys());
    std::vector<double> weights(source.keys());
    EntmaxWorkspace workspace;
    for (const QueryIndex query : queries) {
        source.scores(selection.head, {query, 1}, scores);
        const EntmaxRow row = entmax(scores, parameters, weights, workspace);
        for (std::size_t key = 0; key < scores.size(); ++key) {
            if (!(scores[key] <= maskedScore)) pooled.masked[key] = false;
        }
        if (row.state == RowState::Invalid) pooled.state = RowState::Invalid;
        if (row.state == RowState::Ok) addRow(pooled, weights, selection.pooling);
        if (queries.size() > 1) continue;
        pooled.state = row.state;
        pooled.weights = weights;
        pooled.support = row.support;
        pooled.threshold = row.state == RowState::Ok ? row.threshold : notANumber;
        return pooled;
    }
    finishSeveral(pooled, selection.pooling);
    return pooled;
}

}  // namespace fovea::session
