// SPDX-License-Identifier: GPL-3.0-or-later
// All rows of one head.
#include <fmt/format.h>

#include <algorithm>

#include "core/session/evaluation.h"
#include "core/session/grouped_row.h"
#include "core/session/interval.h"
#include "core/session/pooled_row.h"
#include "core/session/query_choice.h"
#include "core/session/row_axes.h"

namespace fovea::session {

namespace {

constexpr std::size_t mostMatrixCells = std::size_t{1} << 28;  // 1.3 GB with their states
constexpr std::size_t tileElements = std::size_t{1} << 16;

std::size_t rowsOfTile(std::size_t keys) {
    return std::max<std::size_t>(1, tileElements / std::max<std::size_t>(1, keys));
}

// The density's mass on every key of a text; 0 on padding.
Result<std::vector<double>> massesOverText(std::span<const double> weights,
                                           std::span<const std::size_t> unpadded,
                                           const MechanismChoice& mechanism) {
    const auto densities = densitiesOverText(chosen(weights, unpadded), mechanism);
    if (!densities) return std::unexpected(densities.error());
    const std::vector<double> masses = massOfTokens(*densities, unpadded.size());
    std::vector<double> row(weights.size(), 0.0);
    for (std::size_t i = 0; i < unpadded.size(); ++i) row[unpadded[i]] = masses[i];
    return row;
}

// The patches' share of the weights, spread as the density has it; all else as it is.
Result<std::vector<double>> massesOverPicture(std::span<const double> weights, const PatchGrid& grid,
                                              const MechanismChoice& mechanism) {
    const auto picture = evaluatePicture(weights, grid, mechanism);
    if (!picture) return std::unexpected(picture.error());
    std::vector<double> row(weights.begin(), weights.end());
    if (picture->ellipses.empty()) return row;
    const std::span<double> patches(row.data() + grid.first, grid.count());
    std::fill(patches.begin(), patches.end(), 0.0);
    for (const EllipseEvaluation& ellipse : picture->ellipses) {
        const auto masses = massOfPatches(ellipse.density, grid.rows, grid.columns);
        const double share = picture->patchMass * ellipse.weight;
        for (std::size_t i = 0; i < masses.size(); ++i) patches[i] += share * masses[i];
    }
    return row;
}

// A matrix has rows of few keys, those of a causal model's first queries say: each has as many of the
// components as it has keys with weight, where one row alone would be refused.
MechanismChoice ofRow(MechanismChoice mechanism, std::span<const double> weights) {
    const auto support = std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0; });
    const auto most = static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, support));
    mechanism.mixture.components = std::min(mechanism.mixture.components, most);
    return mechanism;
}

// One head being evaluated tile by tile.
struct HeadWork {
    const MechanismChoice& mechanism;
    std::optional<WordAxes> axes;
    KeyAxis keys;
    EntmaxWorkspace workspace = {};
    std::vector<double> base = {};
    std::vector<double> row = {};
    std::vector<bool> masked = {};
};

// The density's masses in place of the base's weights, where a density is shown.
Result<void> spread(const HeadWork& work, std::size_t query, std::vector<double>& base) {
    const std::span<const double> all(base);
    const auto& grid = work.keys.grid;
    // A grid that does not fit the keys is told of by the masses below.
    const bool patches = grid && grid->first <= all.size() && grid->count() <= all.size() - grid->first;
    const auto placed = patches ? all.subspan(grid->first, grid->count()) : all;
    const MechanismChoice mechanism = ofRow(work.mechanism, placed);
    auto masses = grid ? massesOverPicture(base, *grid, mechanism)
                       : massesOverText(base, work.keys.unpadded, mechanism);
    if (!masses) return fail(fmt::format("query {}: {}", query, masses.error().message));
    base = std::move(*masses);
    return {};
}

void writeStates(const HeadWork& work, std::size_t query, MatrixEvaluation& matrix) {
    const std::span<const float> weights(matrix.weights.data() + query * matrix.keys, matrix.keys);
    for (std::size_t key = 0; key < matrix.keys; ++key) {
        matrix.states[query * matrix.keys + key] = stateOf(work.masked[key], weights[key]);
        if (weights[key] > matrix.largest) matrix.largest = weights[key];
    }
}

Result<void> writeRow(HeadWork& work, std::size_t query, MatrixEvaluation& matrix) {
    if (matrix.rowStates[query] == RowState::Ok && hasDensity(work.mechanism)) {
        if (auto done = spread(work, query, work.row); !done) return done;
    }
    std::transform(work.row.begin(), work.row.end(), matrix.weights.data() + query * matrix.keys,
                   [](double value) { return static_cast<float>(value); });
    writeStates(work, query, matrix);
    return {};
}

// A row of tokens. What is shown as it is stays in float32, on the vector unit.
Result<void> fillRow(HeadWork& work, std::size_t query, std::span<const float> scores,
                     MatrixEvaluation& matrix) {
    work.masked.resize(scores.size());
    for (std::size_t key = 0; key < scores.size(); ++key) work.masked[key] = scores[key] <= maskedScore;
    if (work.mechanism.domain == Domain::Discrete) {
        const std::span<float> weights(matrix.weights.data() + query * matrix.keys, matrix.keys);
        matrix.rowStates[query] = entmax(scores, work.mechanism.weights, weights, work.workspace).state;
        writeStates(work, query, matrix);
        return {};
    }
    work.row.resize(scores.size());
    matrix.rowStates[query] = entmax(scores, work.mechanism.weights, work.row, work.workspace).state;
    return writeRow(work, query, matrix);
}

// One more row of a word's; the last one completes it.
Result<void> gatherRow(HeadWork& work, std::size_t query, std::span<const float> scores, GroupedRow& grouped,
                       MatrixEvaluation& matrix) {
    work.base.resize(scores.size());
    const RowState state = entmax(scores, work.mechanism.weights, work.base, work.workspace).state;
    grouped.add(state, work.base, scores);
    const std::size_t group = work.axes->queries.groupOf(query);
    if (query + 1 < work.axes->queries.pastOf(group)) return {};
    matrix.rowStates[group] = grouped.state();
    work.row = grouped.weights();
    work.masked = grouped.masked();
    grouped.clear();
    return writeRow(work, group, matrix);
}

Result<void> fillRows(HeadWork& work, const ScoreSource& source, std::stop_token stop,
                      MatrixEvaluation& matrix) {
    const std::size_t tile = rowsOfTile(source.keys());
    std::vector<float> scores(std::min(tile, source.queries()) * source.keys());
    std::optional<GroupedRow> grouped;
    if (work.axes) grouped.emplace(work.axes->keys);
    for (std::size_t first = 0; first < source.queries(); first += tile) {
        const std::size_t count = std::min(tile, source.queries() - first);
        const std::span<float> part(scores.data(), count * source.keys());
        source.scores(matrix.selection.head, {QueryIndex(first), count}, part);
        for (std::size_t i = 0; i < count; ++i) {
            if (stop.stop_requested()) return fail("stopped", ErrorKind::Cancelled);
            const std::span<const float> row = part.subspan(i * source.keys(), source.keys());
            const auto filled = grouped ? gatherRow(work, first + i, row, *grouped, matrix)
                                        : fillRow(work, first + i, row, matrix);
            if (!filled) return filled;
        }
    }
    return {};
}

}  // namespace

Result<MatrixEvaluation> evaluateMatrix(const Trace& trace, const Selection& selection,
                                        const MechanismChoice& mechanism, std::stop_token stop) {
    if (auto valid = checked(mechanism); !valid) return std::unexpected(valid.error());
    const auto source = sourceOf(trace, selection);
    if (!source) return std::unexpected(source.error());

    HeadWork work{mechanism, axesOf(trace, selection), {}};
    MatrixEvaluation matrix;
    matrix.selection = work.axes ? inGroups(selection, work.axes->queries) : selection;
    matrix.mechanism = mechanism;
    matrix.queries = work.axes ? work.axes->queries.count() : (*source)->queries();
    matrix.keys = work.axes ? work.axes->keys.count() : (*source)->keys();
    if (matrix.keys > 0 && matrix.queries > mostMatrixCells / matrix.keys) {
        return fail(fmt::format("a matrix of {} queries x {} keys is too large to be shown, the most is {} "
                                "cells; a single query can be looked at in any other view",
                                matrix.queries, matrix.keys, mostMatrixCells));
    }
    matrix.weights.resize(matrix.queries * matrix.keys);
    matrix.states.resize(matrix.weights.size());
    matrix.rowStates.resize(matrix.queries);
    work.keys = keyAxisOf(trace, selection.site, work.axes);
    if (auto filled = fillRows(work, **source, stop, matrix); !filled) return std::unexpected(filled.error());
    return matrix;
}

std::vector<float> recordedWeights(const AttentionRecord& record) {
    const ScoreSource& source = *record.scores;
    const std::size_t keys = source.keys();
    const std::size_t tile = rowsOfTile(keys);
    std::vector<float> weights(source.heads() * source.queries() * keys);
    std::vector<float> scores(std::min(tile, source.queries()) * keys);
    EntmaxWorkspace workspace;
    float* next = weights.data();
    for (std::size_t head = 0; head < source.heads(); ++head) {
        for (std::size_t first = 0; first < source.queries(); first += tile) {
            const std::size_t count = std::min(tile, source.queries() - first);
            const std::span<float> part(scores.data(), count * keys);
            source.scores(HeadIndex(head), {QueryIndex(first), count}, part);
            for (std::size_t i = 0; i < count; ++i, next += keys) {
                entmax(std::span<const float>(part.subspan(i * keys, keys)), record.applied, {next, keys},
                       workspace);
            }
        }
    }
    return weights;
}

}  // namespace fovea::session
