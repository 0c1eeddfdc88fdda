// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/training_runtime.h"

namespace fovea::training {

/// Training and measuring on LibTorch. A trained folder holds config.json, model.safetensors (half
/// precision), preprocessor_config.json, recipe.json (as it was read), training.json (measures of the
/// weights as they are in the file, losses and accuracies by epoch, time), samples (pictures of the test
/// part, with what is there and what the model says, in samples.json) and sample.png, the first of them with
/// the most garments that the model gets right.
class TorchTraining final : public TrainingRuntime {
public:
    Result<TrainingReport> train(const std::filesystem::path& recipe, const std::filesystem::path& folder,
                                 const RunControl& control) const override;
    Result<TrainingReport> evaluate(const std::filesystem::path& folder,
                                    const RunControl& control) const override;
};

}  // namespace fovea::training
