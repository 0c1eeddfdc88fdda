// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace fovea::test {

/// Scores of one head: row by row, queries x keys.
using ScoreRows = std::vector<std::vector<float>>;

/// A trace of one site "layer.0" whose scores are exactly `heads`; tokens "t0", "t1", ..., none special.
Trace traceOfScores(const std::vector<ScoreRows>& heads);

/// The same with the last `padding` positions masked for everyone and labelled as padding; `scores`
/// are those of the real tokens, one head.
Trace paddedTrace(const ScoreRows& scores, std::size_t padding, bool atEnd = true);

/// Scores ln w, so that softmax gives back the weights w (0: masked). Rows need not sum to one.
ScoreRows scoresOfWeights(const std::vector<std::vector<double>>& weights);

/// A square head of the given size with repeatable scores in [-3, 3].
ScoreRows variedScores(std::size_t queries, std::size_t keys, unsigned seed);

}  // namespace fovea::test
