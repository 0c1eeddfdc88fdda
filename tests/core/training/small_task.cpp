// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/training/small_task.h"

namespace fovea::test {

using namespace training;

GarmentSet barredGarments(std::size_t kinds, std::size_t ofEach) {
    constexpr std::size_t side = 28;
    GarmentSet garments(side, kinds);
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        for (std::size_t index = 0; index < ofEach; ++index) {
            std::vector<std::uint8_t> picture;
            for (std::size_t row = 0; row < side; ++row) {
                for (std::size_t column = 0; column < side; ++column) {
                    const std::size_t along = kind % 2 == 0 ? column : row;
                    const bool bright = along * 2 * (kind + 1) / side % 2 == 0;
                    picture.push_back(static_cast<std::uint8_t>(bright ? 250 - 10 * index : 0));
                }
            }
            garments.add(kind, picture);
        }
    }
    return garments;
}

GarmentSplit barredSplit(std::size_t kinds) {
    return {barredGarments(kinds, 4), barredGarments(kinds, 4), barredGarments(kinds, 4)};
}

GarmentRecipe smallRecipe() {
    GarmentRecipe recipe;
    recipe.name = "bars";
    recipe.seed = 7;
    recipe.data.kinds = {{0, "one"}, {1, "two"}, {2, "three"}};
    recipe.data.developmentPictures = 60;
    recipe.data.testPictures = 60;
    CollageSettings& collage = recipe.data.collage;
    collage.side = 56;
    collage.fewestKinds = 1;
    collage.mostKinds = 2;
    collage.mostPieces = 2;
    collage.jitter = 1;
    collage.dimmest = 200;
    collage.threshold = 20;
    collage.backgroundCell = 10;
    collage.lightestBackground = 60;
    collage.noise = 4;
    recipe.data.mean = 0.25;
    recipe.data.deviation = 0.25;
    recipe.model = {56, 14, 24, 2, 2, 48, 3};
    TrainingSettings& training = recipe.training;
    training.initialDeviation = 0.1;
    training.epochs = 6;
    training.picturesPerEpoch = 512;
    training.batch = 16;
    training.shards = 2;
    training.learningRate = 0.005;
    training.warmUpSteps = 4;
    training.beta1 = 0.9;
    training.beta2 = 0.98;
    training.epsilon = 1e-8;
    training.weightDecay = 0.01;
    training.patchQuestion = 1;
    training.gradientNorm = 1;
    recipe.samplePictures = 3;
    recipe.text = {{"name", "bars"}};
    return recipe;
}

}  // namespace fovea::test
