// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/analysis/divergence.h"
#include "core/session/interval.h"
#include "core/session/pooled_row.h"
#include "core/session/query_choice.h"
#include "core/session/row_axes.h"

namespace fovea::session {

namespace {

constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

PooledRow pooled(const ScoreSource& source, const Selection& selection, EntmaxParameters parameters,
                 const std::optional<WordAxes>& axes) {
    return axes ? pooledWords(source, selection, parameters, *axes)
                : pooledRow(source, selection, parameters);
}

// To the model's own softmax, of the same queries made one in the same way.
double divergenceFromOwn(const ScoreSource& own, const Selection& selection,
                         const std::optional<WordAxes>& axes, std::span<const double> weights) {
    return jensenShannon(weights, pooled(own, selection, EntmaxParameters{}, axes).weights);
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
    row.tokenWeights = std::move(pooled.ofTokens);
    if (row.state != RowState::Ok) return row;
    const auto largest = std::max_element(row.weights.begin(), row.weights.end());
    row.largest = KeyIndex(static_cast<std::size_t>(largest - row.weights.begin()));
    return row;
}

Result<void> describeDensity(std::span<const std::size_t> unpadded, RowEvaluation& row) {
    const std::vector<double> ofText = chosen(row.weights, unpadded);
    const auto densities = densitiesOverText(ofText, row.mechanism);
    if (!densities) return std::unexpected(densities.error());
    row.interval = describeInterval(*densities, ofText.size());
    if (row.mechanism.domain != Domain::Mixture) return {};
    for (const WeightedDensity& part : *densities) {
        row.components.push_back({part.weight, describeInterval(part.density, ofText.size())});
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

    const std::optional<WordAxes> axes = axesOf(trace, selection);
    const Selection shown = axes ? inGroups(selection, axes->queries) : selection;
    RowEvaluation row =
        describeWeights(shown, mechanism, pooled(**source, selection, mechanism.weights, axes));
    row.divergence = divergenceFromOwn(**ownSource, selection, axes, row.weights);
    if (row.state != RowState::Ok) return row;
    const KeyAxis keys = keyAxisOf(trace, selection.site, axes);
    if (keys.grid) {
        auto picture = evaluatePicture(row.weights, *keys.grid, mechanism);
        if (!picture) return std::unexpected(picture.error());
        row.picture = std::move(*picture);
    } else if (hasDensity(mechanism)) {
        const auto described = describeDensity(keys.unpadded, row);
        if (!described) return std::unexpected(described.error());
    }
    return row;
}

}  // namespace fovea::session
