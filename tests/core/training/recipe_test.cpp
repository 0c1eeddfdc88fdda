// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/garment_recipe.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/io/files.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

using training::readGarmentRecipe;
namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path bundled = fs::path(FOVEA_SOURCE_DIR) / "resources/recipes/garments.json";

/// The message about the bundled recipe with one value changed; empty when it is read all the same.
std::string messageAfter(const std::string& pointer, const Json& value) {
    const TemporaryFolder folder;
    Json recipe = *io::readJsonFile(bundled);
    recipe[Json::json_pointer(pointer)] = value;
    std::ofstream(folder / "recipe.json") << recipe.dump();
    const auto read = readGarmentRecipe(folder / "recipe.json");
    return read ? std::string() : read.error().message;
}

std::string messageWithout(const std::string& section, const std::string& key) {
    const TemporaryFolder folder;
    Json recipe = *io::readJsonFile(bundled);
    recipe[section].erase(key);
    std::ofstream(folder / "recipe.json") << recipe.dump();
    const auto read = readGarmentRecipe(folder / "recipe.json");
    return read ? std::string() : read.error().message;
}

testing::AssertionResult names(const std::string& message, const std::string& place) {
    if (message.find(place) != std::string::npos) return testing::AssertionSuccess();
    return testing::AssertionFailure() << "expected " << place << " in: " << message;
}

TEST(Recipe, that_is_bundled_is_read) {
    const auto recipe = readGarmentRecipe(bundled);
    ASSERT_TRUE(recipe) << recipe.error().message;
    const Json text = *io::readJsonFile(bundled);
    EXPECT_EQ(recipe->data.kinds.size(), text["data"]["kinds"].size());
    EXPECT_EQ(recipe->model.labels, recipe->data.kinds.size());
    EXPECT_EQ(recipe->training.learningRate, text["training"]["learning_rate"].get<double>());
    EXPECT_EQ(Json(recipe->text), text);
}

TEST(Recipe, with_a_misspelt_key_is_told_its_place_and_the_known_ones) {
    const std::string message = messageAfter("/training/learning_rat", 0.1);
    EXPECT_TRUE(names(message, "training.learning_rat:"));
    EXPECT_TRUE(names(message, "learning_rate"));
    EXPECT_TRUE(names(messageAfter("/colour", "red"), "colour"));
    EXPECT_TRUE(names(messageAfter("/data/collage/sides", 3), "data.collage.sides"));
}

TEST(Recipe, without_a_key_is_told_its_place) {
    EXPECT_TRUE(names(messageWithout("training", "epochs"), "training.epochs"));
    EXPECT_TRUE(names(messageWithout("data", "collage"), "data.collage"));
    EXPECT_TRUE(names(messageWithout("model", "heads"), "model.heads"));
}

TEST(Recipe, with_a_value_of_the_wrong_kind_or_out_of_range_is_told_its_place) {
    const std::vector<std::pair<std::string, Json>> wrong = {
        {"/task", "translation"},         {"/seed", -1},
        {"/data/kinds", Json::array()},   {"/data/kinds/0", "coat"},
        {"/data/collage/side", 100},      {"/data/collage/kinds_in_picture", {3, 1}},
        {"/data/collage/noise", 1.5},     {"/data/collage/pieces_of_kind", {1, 16}},
        {"/data/mean", "half"},           {"/data/deviation", 0},
        {"/model/patch", 13},             {"/model/heads", 5},
        {"/model/layers", 0},             {"/training/batch", 0},
        {"/training/shards", 3},          {"/training/learning_rate", 100},
        {"/training/pictures_per_epoch", 33}, {"/sample_pictures", 1 << 24},
        {"/training", 3},                 {"/data/collage/brightness", {0.5}}};
    for (const auto& [pointer, value] : wrong) {
        std::string place = pointer.substr(1);
        std::ranges::replace(place, '/', '.');
        if (place == "data.kinds.0") place = "data.kinds";
        EXPECT_TRUE(names(messageAfter(pointer, value), place)) << pointer << " = " << value;
    }
}

TEST(Recipe, that_is_no_json_or_no_object_is_refused) {
    const TemporaryFolder folder;
    std::ofstream(folder / "text.json") << "learning rate: 3";
    std::ofstream(folder / "array.json") << "[1, 2]";
    EXPECT_FALSE(readGarmentRecipe(folder / "text.json"));
    EXPECT_FALSE(readGarmentRecipe(folder / "array.json"));
    EXPECT_FALSE(readGarmentRecipe(folder / "missing.json"));
}

TEST(Recipe, raises_the_rate_over_the_warm_up_and_lets_it_fall_to_zero) {
    training::TrainingSettings settings;
    settings.epochs = 10;
    settings.picturesPerEpoch = 100;
    settings.batch = 10;
    settings.learningRate = 0.5;
    settings.warmUpSteps = 10;
    ASSERT_EQ(settings.steps(), 100u);
    EXPECT_NEAR(settings.rateAt(0), 0.05, 1e-3);
    EXPECT_NEAR(settings.rateAt(50), 0.25, 1e-9);
    EXPECT_LT(settings.rateAt(99), 1e-3);
    for (std::size_t step = 10; step < 100; ++step)
        EXPECT_LT(settings.rateAt(step), settings.rateAt(step - 1));
}

}  // namespace
}  // namespace fovea::test
