// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"
#include "core/training/garment_recipe.h"
#include "core/training/torch/vision_transformer.h"

namespace fovea::training {

/// Writes config.json, preprocessor_config.json, recipe.json and model.safetensors, weights in half
/// precision, patches for three channels.
Result<void> writeModel(const GarmentRecipe& recipe, const ModelWeights& weights,
                        const std::filesystem::path& folder);

/// Reads the weights of a folder that `writeModel` wrote. Errors: a tensor that is missing or of another
/// shape than the recipe's.
Result<ModelWeights> readModel(const GarmentRecipe& recipe, const std::filesystem::path& folder);

/// What the weights are once written and read again: half precision, a third for each channel.
ModelWeights asInFile(const ModelWeights& weights);

/// Writes `samples` and sample.png into `folder`.
Result<void> writeSamples(const GarmentRecipe& recipe, const ModelWeights& weights, const GarmentSet& test,
                          const std::filesystem::path& folder);

}  // namespace fovea::training
