// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/garment_recipe.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/io/files.h"
#include "core/training/recipe_section.h"

namespace fovea::training {

namespace {

constexpr int garmentSide = 28;

std::size_t size(RecipeSection& section, std::string_view key, int least, int most) {
    return static_cast<std::size_t>(section.whole(key, least, most));
}

std::vector<GarmentKind> readKinds(RecipeSection& data) {
    std::vector<GarmentKind> kinds;
    const nlohmann::json& found = data.value("kinds");
    const bool valid = found.is_array() && found.size() >= 2 && found.size() <= 10;
    for (std::size_t i = 0; valid && i < found.size(); ++i) {
        const nlohmann::json& kind = found[i];
        if (!kind.is_array() || kind.size() != 2) break;
        if (!kind[0].is_number_unsigned() || !kind[1].is_string()) break;
        kinds.push_back({kind[0].get<std::size_t>(), kind[1].get<std::string>()});
    }
    if (!valid || kinds.size() != found.size()) {
        data.reject("kinds", "two to ten pairs of a class of the data set and its name");
    }
    return kinds;
}

void readCounts(RecipeSection& section, std::string_view key, int largest, int& fewest, int& most) {
    const auto [low, high] = section.range(key, 1, largest);
    fewest = static_cast<int>(low);
    most = static_cast<int>(high);
    if (fewest != low || most != high) section.reject(key, "whole numbers");
}

CollageSettings readCollage(RecipeSection section, std::size_t kinds, RecipeSection& data) {
    CollageSettings collage;
    collage.side = section.whole("side", garmentSide, 448);
    if (collage.side % garmentSide != 0) section.reject("side", "a multiple of the garments' 28 pixels");
    const int cells = (collage.side / garmentSide) * (collage.side / garmentSide);
    readCounts(section, "kinds_in_picture", static_cast<int>(kinds), collage.fewestKinds, collage.mostKinds);
    readCounts(section, "pieces_of_kind", cells, collage.fewestPieces, collage.mostPieces);
    if (collage.mostKinds * collage.mostPieces > cells) {
        section.reject("pieces_of_kind", fmt::format("room for all kinds and pieces in {} cells", cells));
    }
    collage.jitter = section.whole("jitter", 0, garmentSide);
    const auto [dimmest, brightest] = section.range("brightness", 0, 1);
    collage.dimmest = static_cast<int>(std::lround(256 * dimmest));
    collage.brightest = static_cast<int>(std::lround(256 * brightest));
    collage.threshold = section.whole("threshold", 0, 255);
    collage.backgroundCell = section.whole("background_cell", 1, collage.side);
    collage.lightestBackground = section.whole("lightest_background", 0, 255);
    collage.noise = section.whole("noise", 0, 255);
    data.adopt(section);
    return collage;
}

GarmentData readData(RecipeSection section, RecipeSection& recipe) {
    GarmentData data;
    data.folder = section.text("folder");
    data.kinds = readKinds(section);
    data.developmentGarments = size(section, "development_garments", 1, 1 << 24);
    data.developmentPictures = size(section, "development_pictures", 1, 1 << 20);
    data.testPictures = size(section, "test_pictures", 1, 1 << 20);
    data.collage = readCollage(section.section("collage"), data.kinds.size(), section);
    data.mean = section.number("mean", 0, 1);
    data.deviation = section.number("deviation", 1e-3, 1);
    recipe.adopt(section);
    return data;
}

VisionTransformerSizes readModel(RecipeSection section, const GarmentData& data, RecipeSection& recipe) {
    VisionTransformerSizes model;
    model.side = static_cast<std::size_t>(data.collage.side);
    model.patch = size(section, "patch", 1, data.collage.side);
    model.hidden = size(section, "hidden", 1, 4096);
    model.layers = size(section, "layers", 1, 64);
    model.heads = size(section, "heads", 1, 64);
    model.intermediate = size(section, "intermediate", 1, 16384);
    model.labels = data.kinds.size();
    if (model.side % model.patch != 0) {
        section.reject("patch", fmt::format("a divisor of the {} pixels of a picture", model.side));
    }
    if (model.hidden % model.heads != 0) {
        section.reject("heads", fmt::format("a divisor of the hidden size {}", model.hidden));
    }
    recipe.adopt(section);
    return model;
}

TrainingSettings readTraining(RecipeSection section, RecipeSection& recipe) {
    TrainingSettings training;
    training.initialDeviation = section.number("initial_deviation", 0, 10);
    training.epochs = size(section, "epochs", 1, 100000);
    training.picturesPerEpoch = size(section, "pictures_per_epoch", 1, 1 << 24);
    training.batch = size(section, "batch", 1, 4096);
    training.shards = size(section, "shards", 1, 64);
    training.learningRate = section.number("learning_rate", 0, 10);
    training.warmUpSteps = size(section, "warm_up_steps", 0, 1 << 24);
    training.beta1 = section.number("beta1", 0, 0.999999);
    training.beta2 = section.number("beta2", 0, 0.999999);
    training.epsilon = section.number("epsilon", 1e-30, 1);
    training.weightDecay = section.number("weight_decay", 0, 10);
    training.patchQuestion = section.number("patch_question", 0, 100);
    training.gradientNorm = section.number("gradient_norm", 1e-6, 1e6);
    if (training.picturesPerEpoch % training.batch != 0) {
        section.reject("pictures_per_epoch", fmt::format("a multiple of the batch, {}", training.batch));
    }
    if (training.batch % training.shards != 0) {
        section.reject("shards", fmt::format("a divisor of the batch, {}", training.batch));
    }
    recipe.adopt(section);
    return training;
}

}  // namespace

double TrainingSettings::rateAt(std::size_t step) const {
    const auto done = static_cast<double>(step);
    const double rise = warmUpSteps == 0 ? 1 : std::min(1.0, (done + 1) / static_cast<double>(warmUpSteps));
    const double fall = 0.5 * (1 + std::cos(std::numbers::pi * done / static_cast<double>(steps())));
    return learningRate * rise * fall;
}

Result<GarmentRecipe> readGarmentRecipe(const std::filesystem::path& path) {
    const auto text = io::readTextFile(path, std::size_t{1} << 20);
    if (!text) return std::unexpected(text.error());
    const auto json = io::parseJson(*text, path.string());
    if (!json) return std::unexpected(json.error());
    RecipeSection top(*json, path.string(), "");
    GarmentRecipe recipe;
    if (top.text("task") != "garments") top.reject("task", "\"garments\", the task that can be trained");
    recipe.name = top.text("name");
    recipe.seed = top.seed("seed");
    recipe.data = readData(top.section("data"), top);
    recipe.model = readModel(top.section("model"), recipe.data, top);
    recipe.training = readTraining(top.section("training"), top);
    recipe.samplePictures = size(top, "sample_pictures", 0, static_cast<int>(recipe.data.testPictures));
    if (const auto mistake = top.mistake()) return std::unexpected(*mistake);
    recipe.text = nlohmann::ordered_json::parse(*text);
    return recipe;
}

}  // namespace fovea::training
