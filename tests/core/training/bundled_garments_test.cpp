// SPDX-License-Identifier: GPL-3.0-or-later
//
// The bundled model of garments and its samples agree with each other and with what is said of them.
#include <cmath>
#include <filesystem>

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "core/io/files.h"
#include "core/model/model_folder.h"
#include "core/training/torch/trained_folder.h"
#include "tests/core/training/grey_png_reader.h"

namespace fovea::test {
namespace {

using namespace training;
namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path folder = fs::path(FOVEA_SOURCE_DIR) / "resources/samples/garments";

/// Probabilities of every kind for a sample's picture.
std::vector<double> probabilitiesOf(const GarmentRecipe& recipe, const ModelWeights& weights,
                                    const GreyPicture& picture) {
    const auto side = static_cast<std::int64_t>(recipe.model.side);
    at::Tensor pixels = at::empty({1, side, side}, at::TensorOptions(at::kFloat));
    for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
        pixels.data_ptr<float>()[i] =
            static_cast<float>((picture.pixels[i] / 255.0 - recipe.data.mean) / recipe.data.deviation);
    }
    const at::NoGradGuard noGraph;
    const at::Tensor said = at::sigmoid(answers(recipe.model, weights, pixels).logits).contiguous();
    return {said.data_ptr<float>(), said.data_ptr<float>() + said.numel()};
}

TEST(BundledGarments, open_completely_and_fit_into_two_megabytes) {
    const auto info = model::describeFolder(folder);
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->tensors.complete());
    EXPECT_TRUE(info->tensors.unexpected.empty());
    EXPECT_TRUE(info->multiLabel);
    EXPECT_LE(fs::file_size(folder / "model.safetensors"), 2'000'000u);
}

TEST(BundledGarments, were_made_by_the_bundled_recipe) {
    const auto used = io::readJsonFile(folder / "recipe.json");
    const auto bundled = io::readJsonFile(fs::path(FOVEA_SOURCE_DIR) / "resources/recipes/garments.json");
    ASSERT_TRUE(used && bundled);
    EXPECT_EQ(*used, *bundled);
}

TEST(BundledGarments, are_told_on_the_sample_pictures_as_stated) {
    const auto recipe = readGarmentRecipe(folder / "recipe.json");
    ASSERT_TRUE(recipe) << recipe.error().message;
    const auto weights = readModel(*recipe, folder);
    ASSERT_TRUE(weights) << weights.error().message;
    const auto entries = io::readJsonFile(folder / "samples/samples.json");
    ASSERT_TRUE(entries) << entries.error().message;
    EXPECT_EQ(entries->size(), recipe->samplePictures);
    std::size_t right = 0;
    for (const Json& entry : *entries) {
        const std::string name = entry["file"];
        const GreyPicture picture = readGreyPng(*io::readTextFile(folder / "samples" / name));
        ASSERT_EQ(picture.pixels.size(), recipe->model.side * recipe->model.side) << name;
        const std::vector<double> said = probabilitiesOf(*recipe, *weights, picture);
        for (std::size_t kind = 0; kind < said.size(); ++kind) {
            const double stated = entry["probabilities"][recipe->data.kinds[kind].name];
            EXPECT_NEAR(said[kind], stated, 1e-3) << name << ", " << recipe->data.kinds[kind].name;
        }
        right += entry["garments"] == entry["answer"];
    }
    std::cout << right << " of " << entries->size() << " sample pictures are told exactly\n";
    EXPECT_GT(2 * right, entries->size());
}

TEST(BundledGarments, are_told_far_better_than_by_a_constant_answer) {
    const auto training = io::readJsonFile(folder / "training.json");
    ASSERT_TRUE(training) << training.error().message;
    const Json& measures = (*training)["measures"];
    const double accuracy = measures["label accuracy, test"];
    const double constant = measures["label accuracy of always the most frequent answer, test"];
    EXPECT_GT(accuracy, 0.95);
    EXPECT_LT(1 - accuracy, 0.25 * (1 - constant));
}

}  // namespace
}  // namespace fovea::test
