// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/pooled_row.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/session/grouped_row.h"
#include "core/session/query_choice.h"

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

std::size_t positiveOf(const std::vector<double>& weights) {
    return static_cast<std::size_t>(
        std::count_if(weights.begin(), weights.end(), [](double weight) { return weight > 0; }));
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
    pooled.support = positiveOf(pooled.weights);
}

// Memory of one row after the other.
struct RowScratch {
    explicit RowScratch(std::size_t keys) : scores(keys), weights(keys) {}
    std::vector<float> scores;
    std::vector<double> weights;
    EntmaxWorkspace workspace;
};

// The row of one group of queries.
PooledRow wordRow(const ScoreSource& source, HeadIndex head, EntmaxParameters parameters,
                  const WordAxes& axes, std::size_t group, RowScratch& scratch) {
    GroupedRow grouped(axes.keys);
    EntmaxRow row;
    const std::size_t past = axes.queries.pastOf(group);
    for (std::size_t query = axes.queries.firstOf(group); query < past; ++query) {
        source.scores(head, {QueryIndex(query), 1}, scratch.scores);
        row = entmax(scratch.scores, parameters, scratch.weights, scratch.workspace);
        grouped.add(row.state, scratch.weights, scratch.scores);
    }
    PooledRow pooled{grouped.state(),  grouped.weights(), grouped.masked(), 1, 0,
                     notANumber, grouped.ofTokens()};
    pooled.support = positiveOf(pooled.weights);
    if (axes.queries.sizeOf(group) > 1) return pooled;
    // Of one row the threshold is the mechanism's, however its keys are read.
    if (row.state == RowState::Ok) pooled.threshold = row.threshold;
    if (axes.keys.count() == axes.keys.positions()) pooled.support = row.support;
    return pooled;
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

PooledRow pooledWords(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters,
                      const WordAxes& axes) {
    const Selection groups = inGroups(selection, axes.queries);
    RowScratch scratch(source.keys());
    if (groups.more.empty())
        return wordRow(source, groups.head, parameters, axes, groups.query.value, scratch);
    std::vector<QueryIndex> asked{groups.query};
    asked.insert(asked.end(), groups.more.begin(), groups.more.end());
    PooledRow pooled;
    pooled.weights.assign(axes.keys.count(), 0.0);
    pooled.masked.assign(axes.keys.count(), true);
    for (const QueryIndex group : asked) {
        const PooledRow row = wordRow(source, groups.head, parameters, axes, group.value, scratch);
        for (std::size_t key = 0; key < row.masked.size(); ++key) {
            if (!row.masked[key]) pooled.masked[key] = false;
        }
        if (row.state == RowState::Invalid) pooled.state = RowState::Invalid;
        if (row.state == RowState::Ok) addRow(pooled, row.weights, selection.pooling);
    }
    finishSeveral(pooled, selection.pooling);
    return pooled;
}

}  // namespace fovea::session
