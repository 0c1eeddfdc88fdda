// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/divergence.h"
#include "core/session/interval.h"
#include "core/session/pooled_row.h"

namespace fovea::session {

namespace {

constexpr std::size_t mostMatrixCells = std::size_t{1} << 28;  // 1.3 GB with their states
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t tileElements = std::size_t{1} << 16;

Result<const ScoreSource*> sourceOf(const Trace& trace, const Selection& selection) {
    if (selection.site.value >= trace.records.size()) {
        return fail(fmt::format("attention site {} was asked for, but {} were recorded", selection.site.value,
                                trace.records.size()));
    }
    const ScoreSource& source = *trace.records[selection.site.value].scores;
    if (selection.head.value >= source.heads()) {
        return fail(
            fmt::format("head {} was asked for, but there are {}", selection.head.value, source.heads()));
    }
    std::size_t last = selection.query.value;
    for (const QueryIndex query : selection.more) last = std::max(last, query.value);
    if (last >= source.queries()) {
        return fail(
            fmt::format("query {} was asked for, but there are {} positions", last, source.queries()));
    }
    return &source;
}

// Keys that are tokens of the text, in order; the others only fill up a batch.
std::vector<std::size_t> unpaddedKeys(const Trace& trace, SiteIndex site, const ScoreSource& source) {
    std::vector<std::size_t> keys;
    const std::span<const TokenLabel> tokens = trace.keyTokens(site);
    const bool labelled = tokens.size() == source.keys();
    const std::size_t last = source.queries() - 1;
    for (std::size_t key = 0; key < source.keys(); ++key) {
        // The last query sees every key that is not padding, but for a window, in which a key sees itself.
        const QueryIndex seer(source.window() > 0 ? std::min(key, last) : last);
        const bool padding = (labelled && tokens[key].padding) ||
                             (source.hasPadding() && source.masked(seer, KeyIndex(key)));
        if (!padding) keys.push_back(key);
    }
    return keys;
}

// The picture among the keys, where they are the positions that hold it.
std::optional<PatchGrid> gridOfKeys(const Trace& trace, SiteIndex site) {
    const bool there = trace.keyTokens(site).data() == trace.tokens.data();
    return there ? trace.grid : std::nullopt;
}

WeightState stateOf(bool masked, double weight) {
    if (std::isnan(weight)) return WeightState::NotANumber;
    if (weight > 0) return WeightState::Positive;
    return masked ? WeightState::Masked : WeightState::ExactZero;
}

std::size_t rowsOfTile(std::size_t keys) {
    return std::max<std::size_t>(1, tileElements / std::max<std::size_t>(1, keys));
}

std::vector<double> chosen(std::span<const double> weights, std::span<const std::size_t> keys) {
    std::vector<double> part(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) part[i] = weights[keys[i]];
    return part;
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

// To the model's own softmax, of the same queries made one in the same way.
double divergenceFromOwn(const ScoreSource& own, const Selection& selection,
                         std::span<const double> weights) {
    return jensenShannon(weights, pooledRow(own, selection, EntmaxParameters{}).weights);
}

// -sum p ln p of the weights divided by their sum W: ln W - (sum w ln w)/W.
double entropyOf(std::span<const double> weights, double sum) {
    const double entropy = shannonEntropy(weights);
    return sum > 0 ? std::log(sum) + entropy / sum : entropy;
}

double residualOf(const Selection& selection, const PooledRow& pooled, double sum) {
    if (selection.more.empty() || selection.pooling == QueryPooling::Mean) return sum - 1;
    if (selection.pooling == QueryPooling::Max) return notANumber;
    return sum - static_cast<double>(pooled.rows);
}

RowEvaluation describeWeights(const Selection& selection, const MechanismChoice& mechanism,
                              PooledRow pooled) {
    RowEvaluation row;
    row.selection = selection;
    row.mechanism = mechanism;
    row.state = pooled.state;
    row.support = pooled.support;
    row.threshold = pooled.threshold;
    row.states.resize(pooled.weights.size());
    for (std::size_t key = 0; key < row.states.size(); ++key) {
        row.states[key] = stateOf(pooled.masked[key], pooled.weights[key]);
    }
    row.visibleKeys = static_cast<std::size_t>(std::count(pooled.masked.begin(), pooled.masked.end(), false));
    row.rowSum = std::accumulate(pooled.weights.begin(), pooled.weights.end(), 0.0);
    row.entropy = selection.more.empty() ? shannonEntropy(pooled.weights)
                                         : entropyOf(pooled.weights, row.rowSum);
    row.residual = residualOf(selection, pooled, row.rowSum);
    row.weights = std::move(pooled.weights);
    if (row.state != RowState::Ok) return row;
    const auto largest = std::max_element(row.weights.begin(), row.weights.end());
    row.largest = KeyIndex(static_cast<std::size_t>(largest - row.weights.begin()));
    return row;
}

Result<void> describeDensity(const Trace& trace, const ScoreSource& source, RowEvaluation& row) {
    const std::vector<double> ofText = chosen(row.weights, unpaddedKeys(trace, row.selection.site, source));
    const auto densities = densitiesOverText(ofText, row.mechanism);
    if (!densities) return std::unexpected(densities.error());
    row.interval = describeInterval(*densities, ofText.size());
    if (row.mechanism.domain != Domain::Mixture) return {};
    for (const WeightedDensity& part : *densities) {
        row.components.push_back({part.weight, describeInterval(part.density, ofText.size())});
    }
    return {};
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
    std::optional<PatchGrid> grid;
    std::vector<std::size_t> unpadded;
    EntmaxWorkspace workspace;
    std::vector<double> base;
};

Result<void> fillRow(HeadWork& work, std::size_t query, std::span<const float> scores,
                     MatrixEvaluation& matrix) {
    const std::span<float> weights(matrix.weights.data() + query * matrix.keys, matrix.keys);
    if (work.mechanism.domain == Domain::Discrete) {
        matrix.rowStates[query] = entmax(scores, work.mechanism.weights, weights, work.workspace).state;
    } else {
        matrix.rowStates[query] = entmax(scores, work.mechanism.weights, work.base, work.workspace).state;
        if (matrix.rowStates[query] == RowState::Ok) {
            const std::span<const double> all(work.base);
            // A grid that does not fit the keys is told of by the masses below.
            const bool patches = work.grid && work.grid->first <= all.size() &&
                                 work.grid->count() <= all.size() - work.grid->first;
            const auto placed = patches ? all.subspan(work.grid->first, work.grid->count()) : all;
            const MechanismChoice mechanism = ofRow(work.mechanism, placed);
            auto masses = work.grid ? massesOverPicture(work.base, *work.grid, mechanism)
                                    : massesOverText(work.base, work.unpadded, mechanism);
            if (!masses) return fail(fmt::format("query {}: {}", query, masses.error().message));
            work.base = std::move(*masses);
        }
        std::transform(work.base.begin(), work.base.end(), weights.begin(),
                       [](double value) { return static_cast<float>(value); });
    }
    for (std::size_t key = 0; key < matrix.keys; ++key) {
        matrix.states[query * matrix.keys + key] = stateOf(scores[key] <= maskedScore, weights[key]);
        if (weights[key] > matrix.largest) matrix.largest = weights[key];
    }
    return {};
}

}  // namespace

Result<RowEvaluation> evaluateRow(const Trace& trace, const Trace& own, const Selection& selection,
                                  const MechanismChoice& mechanism) {
    if (auto valid = checked(mechanism); !valid) return std::unexpected(valid.error());
    const auto source = sourceOf(trace, selection);
    if (!source) return std::unexpected(source.error());
    const auto ownSource = sourceOf(own, selection);
    if (!ownSource) return std::unexpected(ownSource.error());
    if ((*ownSource)->keys() != (*source)->keys()) {
        return fail(fmt::format("the model's own run has {} keys, the compared one {}", (*ownSource)->keys(),
                                (*source)->keys()));
    }

    RowEvaluation row =
        describeWeights(selection, mechanism, pooledRow(**source, selection, mechanism.weights));
    row.divergence = divergenceFromOwn(**ownSource, selection, row.weights);
    if (row.state != RowState::Ok) return row;
    if (const auto grid = gridOfKeys(trace, selection.site)) {
        auto picture = evaluatePicture(row.weights, *grid, mechanism);
        if (!picture) return std::unexpected(picture.error());
        row.picture = std::move(*picture);
    } else if (hasDensity(mechanism)) {
        const auto described = describeDensity(trace, **source, row);
        if (!described) return std::unexpected(described.error());
    }
    return row;
}

Result<MatrixEvaluation> evaluateMatrix(const Trace& trace, const Selection& selection,
                                        const MechanismChoice& mechanism, std::stop_token stop) {
    if (auto valid = checked(mechanism); !valid) return std::unexpected(valid.error());
    const auto source = sourceOf(trace, selection);
    if (!source) return std::unexpected(source.error());

    MatrixEvaluation matrix;
    matrix.selection = selection;
    matrix.mechanism = mechanism;
    matrix.queries = (*source)->queries();
    matrix.keys = (*source)->keys();
    if (matrix.keys > 0 && matrix.queries > mostMatrixCells / matrix.keys) {
        return fail(fmt::format("a matrix of {} queries x {} keys is too large to be shown, the most is {} "
                                "cells; a single query can be looked at in any other view",
                                matrix.queries, matrix.keys, mostMatrixCells));
    }
    matrix.weights.resize(matrix.queries * matrix.keys);
    matrix.states.resize(matrix.weights.size());
    matrix.rowStates.resize(matrix.queries);
    HeadWork work{mechanism, gridOfKeys(trace, selection.site),
                  unpaddedKeys(trace, selection.site, **source), {}, std::vector<double>(matrix.keys)};
    const std::size_t tile = rowsOfTile(matrix.keys);
    std::vector<float> scores(std::min(tile, matrix.queries) * matrix.keys);
    for (std::size_t first = 0; first < matrix.queries; first += tile) {
        const std::size_t count = std::min(tile, matrix.queries - first);
        const std::span<float> part(scores.data(), count * matrix.keys);
        (*source)->scores(selection.head, {QueryIndex(first), count}, part);
        for (std::size_t i = 0; i < count; ++i) {
            if (stop.stop_requested()) return fail("stopped", ErrorKind::Cancelled);
            const auto filled = fillRow(work, first + i, part.subspan(i * matrix.keys, matrix.keys), matrix);
            if (!filled) return std::unexpected(filled.error());
        }
    }
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
