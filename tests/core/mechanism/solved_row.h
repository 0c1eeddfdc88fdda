// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/entmax.h"

namespace fovea::test {

/// One row of scores with its solution, for tests that look at both.
struct Solved {
    EntmaxRow row;
    std::vector<double> weights;
};

inline Solved solve(const std::vector<double>& scores, EntmaxParameters parameters) {
    EntmaxWorkspace workspace;
    Solved solved{{}, std::vector<double>(scores.size())};
    const std::span<const double> row(scores);
    solved.row = entmax(row, parameters, std::span<double>(solved.weights), workspace);
    return solved;
}

}  // namespace fovea::test
