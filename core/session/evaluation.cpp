// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/divergence.h"
#include "core/session/interval.h"

namespace fovea::session {

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t tileElements = std::size_t{1} << 16;

Result<const ScoreSource*> sourceOf(const Trace& trace, const Selection& selection) {
    if (selection.site.value >= trace.records.size()) {
        return fail(fmt::format("attention site {} was asked for, but {} were recorded", selection.site.value,
                                trace.records.size()));
    }
    const ScoreSource& source = *trace.records[selection.site.value].scores;
    if (selection.head.value >= source.heads()) {
        return fail(fmt::format("head {} was asked for, but there are {}", selection.head.value, source.heads()));
    }
    if (selection.query.value >= source.queries()) {
        return fail(fmt::format("query {} was asked for, but there are {} positions", selection.query.value,
                                source.queries()));
    }
    return &source;
}

// Keys that are tokens of the text, in order; the others only fill up a batch.
std::vector<std::size_t> unpaddedKeys(const Trace& trace, const ScoreSource& source) {
    std::vector<std::size_t> keys;
    const bool labelled = trace.tokens.size() == source.keys();
    // The last query sees every key that is not padding, whatever the mask's kind.
    const QueryIndex last(source.queries() - 1);
    for (std::size_t key = 0; key < source.keys(); ++key) {
        const bool padding = (labelled && trace.tokens[key].padding) ||
                             (source.hasPadding() && source.masked(last, KeyIndex(key)));
        if (!padding) keys.push_back(key);
    }
    return keys;
}

bool isMasked(float score) {
    return score <= maskedScore;
}

WeightState stateOf(float score, double weight) {
    if (std::isnan(weight)) return WeightState::NotANumber;
    if (weight > 0) return WeightState::Positive;
    return isMasked(score) ? WeightState::Masked : WeightState::ExactZero;
}

std::size_t rowsOfTile(std::size_t keys) {
    return std::max<std::size_t>(1, tileElements / std::max<std::size_t>(1, keys));
}

// A row's mass on every key; 0 on padding.
Result<std::vector<double>> densityRow(std::span<const double> weights, std::span<const std::size_t> unpadded,
                                       const MechanismChoice& mechanism) {
    std::vector<double> ofText(unpadded.size());
    for (std::size_t i = 0; i < unpadded.size(); ++i) ofText[i] = weights[unpadded[i]];
    const auto density = densityOverText(ofText, mechanism);
    if (!density) return std::unexpected(density.error());
    const std::vector<double> masses = massOfTokens(*density, unpadded.size());
    std::vector<double> row(weights.size(), 0.0);
    for (std::size_t i = 0; i < unpadded.size(); ++i) row[unpadded[i]] = masses[i];
    return row;
}

double divergenceFromOwn(const ScoreSource& own, const Selection& selection, std::span<const double> weights) {
    std::vector<float> scores(own.keys());
    std::vector<double> ownWeights(own.keys());
    EntmaxWorkspace workspace;
    own.scores(selection.head, {selection.query, 1}, scores);
    entmax(scores, EntmaxParameters{}, ownWeights, workspace);
    return jensenShannon(weights, ownWeights);
}

void describeWeights(RowEvaluation& row, std::span<const float> scores) {
    row.states.resize(scores.size());
    for (std::size_t key = 0; key < scores.size(); ++key) row.states[key] = stateOf(scores[key], row.weights[key]);
    row.visibleKeys = static_cast<std::size_t>(
        std::count_if(scores.begin(), scores.end(), [](float score) { return !isMasked(score); }));
    row.entropy = shannonEntropy(row.weights);
    row.rowSum = std::accumulate(row.weights.begin(), row.weights.end(), 0.0);
    row.residual = row.rowSum - 1;
    if (row.state != RowState::Ok) return;
    const auto largest = std::max_element(row.weights.begin(), row.weights.end());
    row.largest = KeyIndex(static_cast<std::size_t>(largest - row.weights.begin()));
}

// One head being evaluated tile by tile.
struct HeadWork {
    const MechanismChoice& mechanism;
    std::vector<std::size_t> unpadded;
    EntmaxWorkspace workspace;
    std::vector<double> base;
};

Result<void> fillRow(HeadWork& work, std::size_t query, std::span<const float> scores, MatrixEvaluation& matrix) {
    const std::span<float> weights(matrix.weights.data() + query * matrix.keys, matrix.keys);
    if (work.mechanism.domain == Domain::Discrete) {
        matrix.rowStates[query] = entmax(scores, work.mechanism.weights, weights, work.workspace).state;
    } else {
        matrix.rowStates[query] = entmax(scores, work.mechanism.weights, work.base, work.workspace).state;
        if (matrix.rowStates[query] == RowState::Ok) {
            auto masses = densityRow(work.base, work.unpadded, work.mechanism);
            if (!masses) return fail(fmt::format("query {}: {}", query, masses.error().message));
            work.base = std::move(*masses);
        }
        std::transform(work.base.begin(), work.base.end(), weights.begin(),
                       [](double value) { return static_cast<float>(value); });
    }
    for (std::size_t key = 0; key < matrix.keys; ++key) {
        matrix.states[query * matrix.keys + key] = stateOf(scores[key], weights[key]);
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

    std::vector<float> scores((*source)->keys());
    (*source)->scores(selection.head, {selection.query, 1}, scores);
    RowEvaluation row;
    row.selection = selection;
    row.mechanism = mechanism;
    row.weights.resize(scores.size());
    EntmaxWorkspace workspace;
    const EntmaxRow solution = entmax(scores, mechanism.weights, row.weights, workspace);
    row.state = solution.state;
    row.support = solution.support;
    row.threshold = row.state == RowState::Ok ? solution.threshold : notANumber;
    describeWeights(row, scores);
    row.divergence = divergenceFromOwn(**ownSource, selection, row.weights);
    if (mechanism.domain == Domain::Discrete || row.state != RowState::Ok) return row;

    std::vector<double> ofText;
    for (const std::size_t key : unpaddedKeys(trace, **source)) ofText.push_back(row.weights[key]);
    const auto density = densityOverText(ofText, mechanism);
    if (!density) return std::unexpected(density.error());
    row.interval = describeInterval(*density, ofText.size());
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
    matrix.weights.resize(matrix.queries * matrix.keys);
    matrix.states.resize(matrix.weights.size());
    matrix.rowStates.resize(matrix.queries);
    HeadWork work{mechanism, unpaddedKeys(trace, **source), {}, std::vector<double>(matrix.keys)};
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
                entmax(std::span<const float>(part.subspan(i * keys, keys)), record.applied, {next, keys}, workspace);
            }
        }
    }
    return weights;
}

}  // namespace fovea::session
