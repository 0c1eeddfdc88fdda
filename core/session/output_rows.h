// SPDX-License-Identifier: GPL-3.0-or-later
// What all comparisons of outputs are made of.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/session/outputs.h"
#include "core/trace/trace.h"

namespace fovea::session {

using Row = std::span<const float>;

/// Row `row` of an output whose last axis is the row's.
Row rowOf(const OutputArray& output, std::size_t row);

/// Labels of the positions that the outputs are of: the decoder's, where there are two stacks.
std::span<const TokenLabel> outputTokens(const Trace& trace);
bool isPadding(const Trace& trace, std::size_t position);
/// The last of `positions` that is no padding.
std::size_t lastPosition(const Trace& trace, std::size_t positions);
/// What a position is called; a patch without a label by its row and column.
std::string tokenName(const Trace& trace, std::size_t position);

std::vector<double> softmax(Row logits);
/// Each label's own probability of holding.
std::vector<double> sigmoid(Row logits);
/// Mean Jensen-Shannon divergence of yes and no, nats; 0 of nothing.
double divergenceOfLabels(std::span<const double> p, std::span<const double> q);

using Naming = std::function<std::string(std::size_t)>;

/// Appends lines, the most probable on either side first, until `comparison` has `limit`; `written` is
/// always among them.
void listProbabilities(std::span<const double> p, std::span<const double> q, const Naming& name,
                       std::optional<std::size_t> written, std::size_t limit, OutputComparison& comparison);

}  // namespace fovea::session
