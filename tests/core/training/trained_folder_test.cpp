// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/trained_folder.h"

#include <fstream>

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "core/io/files.h"
#include "core/model/model_folder.h"
#include "core/model/torch/loaded_transformer.h"
#include "core/training/grey_png.h"
#include "core/training/torch/garment_pictures.h"
#include "tests/core/training/grey_png_reader.h"
#include "tests/core/training/small_task.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

using namespace training;

ModelWeights someWeights(const GarmentRecipe& recipe) {
    ModelWeights weights = ModelWeights::initial(recipe.model, 0.2, RandomStream(3));
    RandomStream random(5);
    for (at::Tensor tensor : weights.tensors()) {  // biases and norms, too, are to matter
        float* values = tensor.data_ptr<float>();
        for (std::int64_t i = 0; i < tensor.numel(); ++i)
            values[i] += static_cast<float>(0.1 * random.normal());
    }
    return weights;
}

TEST(GreyPng, holds_the_pixels) {
    std::vector<std::uint8_t> pixels;
    for (int i = 0; i < 6 * 5; ++i) pixels.push_back(static_cast<std::uint8_t>(i * 37));
    const GreyPicture picture = readGreyPng(greyPng(pixels, 6, 5));
    EXPECT_EQ(picture.height, 6u);
    EXPECT_EQ(picture.width, 5u);
    EXPECT_EQ(picture.pixels, pixels);
}

TEST(TrainedFolder, opens_with_every_tensor_used_and_none_unexpected) {
    const TemporaryFolder folder;
    const GarmentRecipe recipe = smallRecipe();
    ASSERT_TRUE(writeModel(recipe, someWeights(recipe), folder.path()));
    const auto info = model::describeFolder(folder.path());
    ASSERT_TRUE(info) << info.error().message;
    EXPECT_TRUE(info->tensors.complete());
    EXPECT_TRUE(info->tensors.unexpected.empty());
    EXPECT_EQ(info->labels, (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_TRUE(info->multiLabel);
    ASSERT_TRUE(info->vision);
    EXPECT_EQ(info->vision->patchSize, recipe.model.patch);
}

TEST(TrainedFolder, gives_back_the_weights_as_they_are_in_the_file) {
    const TemporaryFolder folder;
    const GarmentRecipe recipe = smallRecipe();
    const ModelWeights weights = someWeights(recipe);
    ASSERT_TRUE(writeModel(recipe, weights, folder.path()));
    const auto read = readModel(recipe, folder.path());
    ASSERT_TRUE(read) << read.error().message;
    const ModelWeights expected = asInFile(weights);
    for (const std::string& name : weights.names()) {
        EXPECT_TRUE(read->get(name).equal(expected.get(name))) << name;
        EXPECT_LT((read->get(name) - weights.get(name)).abs().max().item<double>(), 1e-3) << name;
    }
}

TEST(TrainedFolder, of_another_recipe_is_told_by_its_tensor) {
    const TemporaryFolder folder;
    GarmentRecipe recipe = smallRecipe();
    ASSERT_TRUE(writeModel(recipe, someWeights(recipe), folder.path()));
    recipe.model.hidden = 32;
    const auto read = readModel(recipe, folder.path());
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("vit.embeddings.cls_token"), std::string::npos)
        << read.error().message;
}

/// The forward pass of training and the transformer that inspects models are two programs.
TEST(TrainedFolder, answers_in_the_inspected_model_as_it_did_in_training) {
    const TemporaryFolder folder;
    const GarmentRecipe recipe = smallRecipe();
    const ModelWeights weights = someWeights(recipe);
    ASSERT_TRUE(writeModel(recipe, weights, folder.path()));
    const auto loaded = model::LoadedTransformer::load(folder.path(), {}, {});
    ASSERT_TRUE(loaded) << loaded.error().message;
    const at::NoGradGuard noGraph;
    const GarmentBatch batch = batchOf(recipe, barredGarments(3, 4), StreamPurpose::Test, 0, 4);
    const at::Tensor expected = answers(recipe.model, asInFile(weights), batch.pixels).logits;
    for (std::int64_t i = 0; i < 4; ++i) {
        ModelInput input;
        input.picture = {recipe.model.side, recipe.model.side, {}};
        const at::Tensor grey = batch.pixels[i].contiguous();
        for (int channel = 0; channel < 3; ++channel) {
            input.picture.values.insert(input.picture.values.end(), grey.data_ptr<float>(),
                                        grey.data_ptr<float>() + grey.numel());
        }
        const auto trace = (*loaded)->run(input, {}, {});
        ASSERT_TRUE(trace) << trace.error().message;
        const auto& said = (*trace)->outputs.front();
        ASSERT_EQ(said.values.size(), 3u) << said.name;
        for (std::int64_t label = 0; label < 3; ++label) {
            EXPECT_NEAR(said.values[static_cast<std::size_t>(label)], expected[i][label].item<float>(), 1e-4);
        }
    }
}

TEST(TrainedFolder, keeps_samples_with_what_is_there_and_what_is_said) {
    const TemporaryFolder folder;
    const GarmentRecipe recipe = smallRecipe();
    const GarmentSet garments = barredGarments(3, 4);
    ASSERT_TRUE(writeSamples(recipe, someWeights(recipe), garments, folder.path()));
    const auto entries = io::readJsonFile(folder / "samples/samples.json");
    ASSERT_TRUE(entries) << entries.error().message;
    ASSERT_EQ(entries->size(), recipe.samplePictures);
    for (std::size_t i = 0; i < entries->size(); ++i) {
        const Collage collage = pictureAt(recipe, garments, StreamPurpose::Test, i);
        const auto bytes =
            io::readTextFile(folder.path() / "samples" / (*entries)[i]["file"].get<std::string>());
        ASSERT_TRUE(bytes);
        EXPECT_EQ(readGreyPng(*bytes).pixels, collage.pixels);
        std::vector<std::string> there;
        for (std::size_t kind = 0; kind < 3; ++kind) {
            if (collage.presence(3)[kind]) there.push_back(recipe.data.kinds[kind].name);
        }
        EXPECT_EQ((*entries)[i]["garments"].get<std::vector<std::string>>(), there);
    }
}

}  // namespace
}  // namespace fovea::test
