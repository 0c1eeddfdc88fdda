// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/output_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/analysis/divergence.h"
#include "core/session/token_names.h"

namespace fovea::session {

Row rowOf(const OutputArray& output, std::size_t row) {
    const std::size_t width = output.shape.back();
    return Row(output.values).subspan(row * width, width);
}

std::span<const TokenLabel> outputTokens(const Trace& trace) {
    return trace.targetTokens.empty() ? trace.tokens : trace.targetTokens;
}

bool isPadding(const Trace& trace, std::size_t position) {
    const auto labels = outputTokens(trace);
    return position < labels.size() && labels[position].padding;
}

std::size_t lastPosition(const Trace& trace, std::size_t positions) {
    std::size_t last = positions - 1;
    while (last > 0 && isPadding(trace, last)) --last;
    return last;
}

std::string tokenName(const Trace& trace, std::size_t position) {
    if (const auto labels = outputTokens(trace); position < labels.size())
        return nameOfToken(labels[position]);
    if (trace.grid && trace.grid->contains(position))
        return fmt::format("{},{}", trace.grid->rowOf(position), trace.grid->columnOf(position));
    return std::to_string(position);
}

std::vector<double> softmax(Row logits) {
    std::vector<double> probabilities(logits.size());
    EntmaxWorkspace workspace;
    entmax(logits, EntmaxParameters{}, probabilities, workspace);
    return probabilities;
}

std::vector<double> sigmoid(Row logits) {
    std::vector<double> probabilities(logits.size());
    std::ranges::transform(logits, probabilities.begin(),
                           [](float logit) { return 1.0 / (1.0 + std::exp(-double(logit))); });
    return probabilities;
}

double divergenceOfLabels(std::span<const double> p, std::span<const double> q) {
    if (p.empty()) return 0;
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
        sum += jensenShannon(std::array{p[i], 1 - p[i]}, std::array{q[i], 1 - q[i]});
    }
    return sum / static_cast<double>(p.size());
}

void listProbabilities(std::span<const double> p, std::span<const double> q, const Naming& name,
                       std::optional<std::size_t> written, std::size_t limit, OutputComparison& comparison) {
    comparison.unit = "probability";
    std::vector<std::size_t> order(p.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const std::size_t room = limit - std::min(limit, comparison.lines.size());
    const std::size_t shown = std::min(room, order.size());
    // Ties go to the smaller id, and a NaN sinks, so that the order is the same on every run.
    const auto rank = [&](std::size_t i) { return std::isnan(p[i] + q[i]) ? -1.0 : std::max(p[i], q[i]); };
    std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                      [&](std::size_t a, std::size_t b) {
                          return rank(a) != rank(b) ? rank(a) > rank(b) : a < b;
                      });
    const bool known = written && *written < p.size() && shown > 0;
    const auto last = order.begin() + static_cast<std::ptrdiff_t>(shown);
    if (known && std::find(order.begin(), last, *written) == last) *(last - 1) = *written;
    for (std::size_t i = 0; i < shown; ++i) {
        comparison.lines.push_back(
            {name(order[i]), p[order[i]], q[order[i]], known && order[i] == *written});
    }
}

}  // namespace fovea::session
