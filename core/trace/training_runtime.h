// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "core/support/run_control.h"

namespace fovea {

/// One measured number of a trained model: "exact match, test", 0.91.
struct TrainingMeasure {
    std::string name;
    double value = 0;
};

/// What a training run or an evaluation came to.
struct TrainingReport {
    std::vector<TrainingMeasure> measures;
    double seconds = 0;
};

/// Training, as far as it crosses the border of the run-time module.
class TrainingRuntime {
public:
    virtual ~TrainingRuntime() = default;
    /// Trains what `recipe`, a JSON file, describes, and writes a model folder with the recipe and its
    /// measures to `folder`. Progress per epoch; stops on request and then leaves nothing behind.
    virtual Result<TrainingReport> train(const std::filesystem::path& recipe,
                                         const std::filesystem::path& folder,
                                         const RunControl& control) const = 0;
    /// Measures a folder that `train` wrote, on its recipe's test data.
    virtual Result<TrainingReport> evaluate(const std::filesystem::path& folder,
                                            const RunControl& control) const = 0;
};

}  // namespace fovea
