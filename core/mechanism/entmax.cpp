// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/mechanism/entmax_laws.h"
#include "core/support/precondition.h"

namespace fovea {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double undefined = std::numeric_limits<double>::quiet_NaN();

struct RowScan {
    double highest = -infinity;
    std::size_t unmasked = 0;
    bool hasNan = false;
};

/// Copies the scores as double, masked ones as -infinity.
template <class In>
RowScan readScores(std::span<const In> scores, std::span<double> values) {
    RowScan scan;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const double score = static_cast<double>(scores[i]);
        const bool unmasked = score > maskedScore;
        values[i] = unmasked ? score : -infinity;
        scan.unmasked += unmasked;
        scan.hasNan |= std::isnan(score);
        scan.highest = std::max(scan.highest, values[i]);
    }
    return scan;
}

EntmaxRow withoutSolution(RowState state) {
    return {.state = state,
            .support = 0,
            .threshold = undefined,
            .normalizer = undefined,
            .offset = undefined,
            .residual = 0};
}

/// The limit T = infinity: all unmasked scores count as equal.
void flatten(std::span<double> values, RowScan& scan) {
    for (double& value : values) {
        if (std::isfinite(value)) value = 0;
    }
    if (std::isfinite(scan.highest)) scan.highest = 0;
}

/// s of k equal scores alone: (1 - k^(1-alpha))/(alpha-1), ln k at alpha = 1.
double offsetOfTies(std::size_t ties, double alpha) {
    const double logTies = std::log(static_cast<double>(ties));
    if (alpha == 1) return logTies;
    return -std::expm1((1 - alpha) * logTies) / (alpha - 1);
}

/// The limits T = 0, alpha = infinity and infinite scores: the largest entries share.
EntmaxRow shareAmongHighest(std::span<double> values, double highest, double alpha) {
    EntmaxRow row;
    row.support = static_cast<std::size_t>(std::count(values.begin(), values.end(), highest));
    const double share = 1.0 / static_cast<double>(row.support);
    for (double& value : values) value = value == highest ? share : 0.0;
    row.offset = std::isinf(alpha) ? 0.0 : offsetOfTies(row.support, alpha);
    row.normalizer = undefined;
    row.threshold = undefined;
    return row;
}

EntmaxRow solveByLaw(std::span<double> values, const RowScan& scan, EntmaxParameters parameters,
                     std::vector<double>& candidates) {
    const auto [alpha, temperature] = parameters;
    const auto solution = entmax_laws::solve({values, scan.highest, temperature, alpha, candidates});
    EntmaxRow row;
    row.support = solution.support;
    row.offset = solution.offset;
    const double highestScaled = scan.highest / temperature;
    row.normalizer = std::isfinite(highestScaled) ? highestScaled + solution.offset : undefined;
    // (alpha-1)A - 1 with the small part formed first.
    const double threshold = (alpha - 1) * highestScaled - (1 - (alpha - 1) * solution.offset);
    row.threshold = alpha > 1 && std::isfinite(threshold) ? threshold : undefined;
    const double scale = 1 / entmax_laws::accurateSum(values);
    for (double& value : values) value *= scale;
    return row;
}

template <class Out>
double writeWeights(std::span<const double> values, std::span<Out> weights) {
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        weights[i] = static_cast<Out>(values[i]);
        sum += static_cast<double>(weights[i]);
    }
    return sum - 1;
}

template <class In, class Out>
EntmaxRow solveRow(std::span<const In> scores, EntmaxParameters parameters, std::span<Out> weights,
                   EntmaxWorkspace& workspace) {
    require(scores.size() == weights.size(), "as many weights as scores");
    require(parameters.alpha >= 1 && parameters.temperature >= 0, "entmax parameters are checked");
    if (workspace.values.size() < scores.size()) workspace.values.resize(scores.size());
    if (workspace.candidates.size() < scores.size()) workspace.candidates.resize(scores.size());
    const std::span<double> values(workspace.values.data(), scores.size());
    RowScan scan = readScores(scores, values);
    if (scan.hasNan) {
        std::fill(weights.begin(), weights.end(), std::numeric_limits<Out>::quiet_NaN());
        return withoutSolution(RowState::Invalid);
    }
    if (scan.unmasked == 0) {
        std::fill(weights.begin(), weights.end(), Out(0));
        return withoutSolution(RowState::Empty);
    }
    if (std::isinf(parameters.temperature)) {
        flatten(values, scan);
        parameters.temperature = 1;
    }
    const bool limit =
        parameters.temperature == 0 || std::isinf(parameters.alpha) || std::isinf(scan.highest);
    EntmaxRow row = limit ? shareAmongHighest(values, scan.highest, parameters.alpha)
                          : solveByLaw(values, scan, parameters, workspace.candidates);
    row.residual = writeWeights<Out>(values, weights);
    return row;
}

}  // namespace

Result<EntmaxParameters> checked(EntmaxParameters parameters) {
    if (!(parameters.alpha >= 1)) {
        return fail(
            fmt::format("alpha must be at least 1 (infinity is the argmax), found {}", parameters.alpha));
    }
    if (!(parameters.temperature >= 0)) {
        return fail(
            fmt::format("temperature must be at least 0 (0 is the argmax, infinity uniform), found {}",
                        parameters.temperature));
    }
    return parameters;
}

EntmaxRow entmax(std::span<const double> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace) {
    return solveRow(scores, parameters, weights, workspace);
}

EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<float> weights,
                 EntmaxWorkspace& workspace) {
    return solveRow(scores, parameters, weights, workspace);
}

EntmaxRow entmax(std::span<const float> scores, EntmaxParameters parameters, std::span<double> weights,
                 EntmaxWorkspace& workspace) {
    return solveRow(scores, parameters, weights, workspace);
}

void scoresFromWeights(std::span<const double> weights, EntmaxParameters parameters,
                       std::span<double> scores) {
    const auto [alpha, temperature] = parameters;
    require(scores.size() == weights.size(), "as many scores as weights");
    require(alpha >= 1 && std::isfinite(alpha) && temperature > 0 && std::isfinite(temperature),
            "alpha finite and temperature > 0");
    double highest = 0;
    for (const double weight : weights) highest = std::max(highest, weight);
    const double scale = alpha == 1 ? temperature
                                    : temperature * std::pow(highest, alpha - 1) / (alpha - 1);
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double weight = weights[i];
        if (weight == 0) {
            scores[i] = -infinity;
        } else if (!(weight > 0)) {
            scores[i] = undefined;
        } else {
            // ln(p/p_max), accurate for p near p_max.
            const double logRatio = 2 * weight < highest ? std::log(weight / highest)
                                                         : std::log1p((weight - highest) / highest);
            scores[i] = scale * (alpha == 1 ? logRatio : std::expm1((alpha - 1) * logRatio));
        }
    }
}

double shannonEntropy(std::span<const double> weights) {
    double sum = 0;
    for (const double weight : weights) {
        if (weight != 0) sum -= weight * std::log(weight);
    }
    return sum;
}

}  // namespace fovea
