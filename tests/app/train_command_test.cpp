// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <csignal>
#include <fstream>
#include <iostream>

#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path resources = fs::path(FOVEA_SOURCE_DIR) / "resources";
const fs::path bundledRecipe = resources / "recipes/garments.json";
const fs::path bundledModel = resources / "samples/garments";

class TrainCommand : public testing::Test {
protected:
    /// The bundled recipe, cut down to what a test can wait for.
    Json recipe() const {
        Json recipe = *io::readJsonFile(bundledRecipe);
        recipe["data"]["development_pictures"] = 20;
        recipe["data"]["test_pictures"] = 40;
        recipe["training"]["epochs"] = 2;
        recipe["training"]["pictures_per_epoch"] = 2 * recipe["training"]["batch"].get<int>();
        recipe["sample_pictures"] = 2;
        return recipe;
    }
    std::string written(const Json& recipe) const {
        std::ofstream(folder / "recipe.json") << recipe.dump(2);
        return folder / "recipe.json";
    }
    /// Says so when Fashion-MNIST is not installed.
    static bool dataSetIsThere() {
        const Json recipe = *io::readJsonFile(bundledRecipe);
        const bool there = fs::exists(recipe["data"]["folder"].get<std::string>());
        if (!there) std::cout << "the package dataset-fashion-mnist is not installed\n";
        return there;
    }
    std::size_t entries() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder.path()), {}));
    }

    TemporaryFolder folder;
    std::string out = folder / "model";
};

TEST_F(TrainCommand, explains_itself_and_wants_a_recipe) {
    EXPECT_EQ(fovea({"train", "--help"}).exitCode, 0);
    EXPECT_EQ(fovea({"evaluate", "--help"}).exitCode, 0);
    EXPECT_TRUE(refused(fovea({"train"}), 2, {"RECIPE"}));
    EXPECT_TRUE(refused(fovea({"evaluate"}), 2, {"DIR"}));
}

TEST_F(TrainCommand, a_recipe_that_is_missing_or_wrong_is_named) {
    EXPECT_TRUE(refused(fovea({"train", folder / "missing.json", "-o", out}), 1, {"missing.json"}));
    Json misspelt = recipe();
    misspelt["training"]["epoch"] = 3;
    EXPECT_TRUE(
        refused(fovea({"train", written(misspelt), "-o", out}), 1, {"recipe.json", "training.epoch"}));
    EXPECT_FALSE(fs::exists(out));
}

TEST_F(TrainCommand, a_missing_data_set_is_told_with_the_name_of_its_package) {
    Json elsewhere = recipe();
    elsewhere["data"]["folder"] = (folder / "nothing").string();
    EXPECT_TRUE(
        refused(fovea({"train", written(elsewhere), "-o", out}), 1, {"nothing", "dataset-fashion-mnist"}));
    EXPECT_EQ(entries(), 1u);
}

TEST_F(TrainCommand, a_folder_with_something_in_it_is_left_alone) {
    fs::create_directory(out);
    std::ofstream(fs::path(out) / "thesis.txt") << "chapter one";
    EXPECT_TRUE(refused(fovea({"train", written(recipe()), "-o", out}), 1, {"model"}));
    EXPECT_TRUE(fs::exists(fs::path(out) / "thesis.txt"));
    EXPECT_EQ(entries(), 2u);
}

TEST_F(TrainCommand, writes_a_folder_that_opens_and_measures_the_same_again) {
    if (!dataSetIsThere()) GTEST_SKIP();
    const Json trained = jsonOf(fovea({"train", written(recipe()), "-o", out, "--json"}));
    ASSERT_TRUE(trained.contains("measures"));
    EXPECT_TRUE(fovea({"train", written(recipe()), "-o", out}).out.empty());  // it is there now
    const Json info = jsonOf(fovea({"info", out, "--json"}));
    EXPECT_TRUE(info["tensors"]["missing"].empty());
    EXPECT_TRUE(info["tensors"]["unexpected"].empty());
    const Json measured = jsonOf(fovea({"evaluate", out, "--json"}));
    EXPECT_EQ(measured["measures"], trained["measures"]);
    const Json kept = *io::readJsonFile(fs::path(out) / "training.json");
    EXPECT_EQ(kept["measures"], trained["measures"]);
    EXPECT_EQ(*io::readJsonFile(fs::path(out) / "recipe.json"), recipe());
}

TEST_F(TrainCommand, an_interrupted_run_leaves_nothing_behind) {
    if (!dataSetIsThere()) GTEST_SKIP();
    Json longer = recipe();
    longer["training"]["epochs"] = 100000;
    ProgramSurroundings interrupted;
    interrupted.interruptAfterMilliseconds = 1500;
    const ProgramResult result = fovea({"train", written(longer), "-o", out}, interrupted);
    EXPECT_EQ(result.signal, SIGINT) << result.err;
    EXPECT_EQ(entries(), 1u);
}

TEST_F(TrainCommand, a_folder_that_was_not_trained_here_cannot_be_evaluated) {
    EXPECT_TRUE(refused(fovea({"evaluate", folder.path()}), 1, {"recipe.json"}));
    EXPECT_TRUE(refused(fovea({"evaluate", resources / "samples/glassllm-en"}), 1, {"recipe.json"}));
}

TEST_F(TrainCommand, the_bundled_model_measures_what_is_said_of_it) {
    if (!dataSetIsThere()) GTEST_SKIP();
    const Json measured = jsonOf(fovea({"evaluate", bundledModel, "--json"}));
    const Json kept = *io::readJsonFile(bundledModel / "training.json");
    ASSERT_EQ(measured["measures"].size(), kept["measures"].size());
    for (const auto& [name, value] : kept["measures"].items()) {
        // Another LibTorch may round a picture or two to the other side.
        EXPECT_NEAR(measured["measures"][name].get<double>(), value.get<double>(), 5e-3) << name;
    }
}

/// Through the door that everybody uses: a file, decoded, prepared, run.
TEST_F(TrainCommand, the_bundled_model_answers_on_its_samples_as_stated) {
    const Json samples = *io::readJsonFile(bundledModel / "samples/samples.json");
    const Json names = (*io::readJsonFile(bundledModel / "config.json"))["id2label"];
    ASSERT_FALSE(samples.empty());
    for (std::size_t i = 0; i < samples.size(); i += 6) {
        const fs::path picture = bundledModel / "samples" / samples[i]["file"].get<std::string>();
        const std::string trace = folder / "trace.safetensors";
        const auto result = fovea({"trace", bundledModel, "--image", picture, "-o", trace, "--json"});
        ASSERT_EQ(result.exitCode, 0) << result.err;
        const auto file = io::SafetensorsFile::open(trace);
        ASSERT_TRUE(file) << file.error().message;
        const auto logits = io::convertedArray<double>(*(*file)->find("logits"), "logits");
        ASSERT_TRUE(logits) << logits.error().message;
        std::size_t label = 0;
        for (const double logit : logits->values) {
            const std::string name = names[std::to_string(label++)];
            EXPECT_NEAR(1 / (1 + std::exp(-logit)), samples[i]["probabilities"][name].get<double>(), 2e-3)
                << picture << ", " << name;
        }
    }
}

}  // namespace
}  // namespace fovea::test
