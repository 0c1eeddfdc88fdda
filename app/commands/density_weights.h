// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace fovea::app {

/// Where `fovea density` finds its weights, and how they lie.
struct WeightsChoice {
    std::string path;
    std::optional<std::string> array;  ///< of a file of several
    std::optional<std::string> grid;   ///< "ROWSxCOLUMNS"
};

/// Discrete weights over positions on a line, or over the cells of a grid row by row.
struct GridWeights {
    struct Cells {
        std::size_t rows = 0;
        std::size_t columns = 0;
    };
    std::vector<double> values;
    std::optional<Cells> grid;  ///< none: positions on a line
};

/// Reads an array of one axis, or of two (its own grid). Errors: what cannot be read, an array of another
/// number of axes, a grid that does not fit it, a weight that is negative or not finite (with its place), a
/// sum of 0.
Result<GridWeights> readWeights(const WeightsChoice& choice);

}  // namespace fovea::app
