// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/training/garment_recipe.h"

namespace fovea::training {

/// `config.json` of a trained model, as the transformers library writes it for a
/// ViTForImageClassification with several labels a picture.
std::string configText(const GarmentRecipe& recipe);

/// `preprocessor_config.json`: pictures of the recipe's size, its normalisation.
std::string preprocessorText(const GarmentRecipe& recipe);

/// A tensor of the model: its name in the transformers library and its shape.
struct TensorShape {
    std::string name;
    std::vector<std::size_t> shape;
};

/// Every tensor of the model, in the order of the forward pass, as trained on grey pictures: one
/// channel. In files the patches have three equal channels of a third each, which gives the same on
/// pictures without colour.
std::vector<TensorShape> tensorShapes(const VisionTransformerSizes& sizes);

/// The tensor whose second axis is the channels.
inline constexpr const char* patchWeightName = "vit.embeddings.patch_embeddings.projection.weight";

}  // namespace fovea::training
