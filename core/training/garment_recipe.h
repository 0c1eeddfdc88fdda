// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/result.h"
#include "core/training/collage.h"

namespace fovea::training {

/// A kind of garment: its class in the data set's labels and its name.
struct GarmentKind {
    std::size_t dataClass = 0;
    std::string name;
};

/// The pictures of a recipe.
struct GarmentData {
    std::filesystem::path folder;  ///< of Fashion-MNIST
    std::vector<GarmentKind> kinds;
    std::size_t developmentGarments = 0;  ///< kept from training
    std::size_t developmentPictures = 0;
    std::size_t testPictures = 0;
    CollageSettings collage;
    double mean = 0;       ///< of grey values in [0, 1], for the normalisation
    double deviation = 1;
};

/// The shape of a vision transformer [D21].
struct VisionTransformerSizes {
    std::size_t side = 0;   ///< of a picture, pixels
    std::size_t patch = 0;  ///< side of a patch, pixels; divides `side`
    std::size_t hidden = 0;
    std::size_t layers = 0;
    std::size_t heads = 0;  ///< divides `hidden`
    std::size_t intermediate = 0;
    std::size_t labels = 0;

    std::size_t patchesAcross() const { return side / patch; }
    std::size_t positions() const { return patchesAcross() * patchesAcross() + 1; }
};

/// How a model is trained: AdamW [K15, L19] under a rate that rises linearly over the warm-up and then
/// falls to 0 along half a cosine.
struct TrainingSettings {
    double initialDeviation = 0;  ///< of the weights at the start
    std::size_t epochs = 0;
    std::size_t picturesPerEpoch = 0;  ///< every one is new
    std::size_t batch = 0;
    std::size_t shards = 1;  ///< equal parts of a batch, worked on side by side; sums depend on it
    double learningRate = 0;
    std::size_t warmUpSteps = 0;
    double beta1 = 0;
    double beta2 = 0;
    double epsilon = 0;
    double weightDecay = 0;
    /// Weight of a second question, asked of every patch in training alone: which kind lies under it.
    double patchQuestion = 0;
    double gradientNorm = 0;  ///< longer gradients are cut to it

    std::size_t stepsPerEpoch() const { return picturesPerEpoch / batch; }
    std::size_t steps() const { return epochs * stepsPerEpoch(); }
    /// At step 0, 1, ... of all.
    double rateAt(std::size_t step) const;
};

/// A recipe for "which garments are there?": a vision transformer over collages, several labels a picture.
struct GarmentRecipe {
    std::string name;
    std::uint64_t seed = 0;
    GarmentData data;
    VisionTransformerSizes model;
    TrainingSettings training;
    std::size_t samplePictures = 0;  ///< of the test collages, kept beside the model
    nlohmann::ordered_json text;     ///< the recipe as it was read
};

/// Reads a recipe; `resources/recipes/garments.json` shows every key. Errors name the place: a key that
/// is missing or that no recipe has, a value of the wrong kind or out of its range, sizes that do not divide.
Result<GarmentRecipe> readGarmentRecipe(const std::filesystem::path& path);

}  // namespace fovea::training
