// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

nlohmann::json configOf(const fs::path& folder) {
    std::ifstream file(folder / "config.json");
    return nlohmann::json::parse(file);
}

TEST(InfoCommand, gives_every_promised_key_for_every_model) {
    const auto models = runnableModels();
    if (models.empty()) GTEST_SKIP() << "no runnable model among the test data";
    for (const fs::path& folder : models) {
        const auto json = jsonOf(fovea({"info", folder, "--json"}));
        for (const char* key : {"format", "model_type", "architecture", "layers", "heads", "kv_heads",
                                "hidden_size", "parameters", "sites", "tensors", "outputs"}) {
            EXPECT_TRUE(json.contains(key)) << folder << key;
        }
        const auto config = configOf(folder);
        EXPECT_EQ(json["model_type"], config["model_type"]);
        EXPECT_EQ(json["layers"], config["num_hidden_layers"]);
        EXPECT_EQ(json["heads"], config["num_attention_heads"]);
        EXPECT_EQ(json["sites"].size(), json["layers"]);
        EXPECT_EQ(json["sites"][0]["name"], "layer.0");
        EXPECT_EQ(json["sites"][0]["layer"], 0);
        EXPECT_FALSE(json["tensors"]["used"].empty());
        for (const char* key : {"used", "missing", "unexpected", "mismatched"}) {
            EXPECT_TRUE(json["tensors"][key].is_array());
        }
        EXPECT_FALSE(json["outputs"].empty());
        EXPECT_EQ(fovea({"info", folder}).exitCode, 0);
    }
}

TEST(InfoCommand, says_what_pictures_a_model_reads) {
    auto models = runnableModels();
    const auto readers = pictureModels();
    models.insert(models.end(), readers.begin(), readers.end());
    int pictures = 0;
    for (const fs::path& folder : models) {
        const auto json = jsonOf(fovea({"info", folder, "--json"}));
        ASSERT_TRUE(json.contains("vision")) << folder;
        const auto config = configOf(folder);
        EXPECT_EQ(json["vision"].is_null(), !config.contains("patch_size")) << folder;
        const auto text = fovea({"info", folder});
        EXPECT_EQ(text.out.contains("patches"), config.contains("patch_size")) << text.out;
        if (json["vision"].is_null()) continue;
        ++pictures;
        EXPECT_EQ(json["vision"]["patch_size"], config["patch_size"]);
        ASSERT_EQ(json["vision"]["image_size"].size(), 2u);
        const auto side = json["vision"]["image_size"][0].get<std::size_t>();
        EXPECT_EQ(side % json["vision"]["patch_size"].get<std::size_t>(), 0u) << folder;
        EXPECT_FALSE(json["vision"]["prefix_tokens"].empty());
    }
    if (pictures == 0) GTEST_SKIP() << "no model among the test data reads pictures";
}

TEST(InfoCommand, does_not_load_libtorch) {
    const auto models = runnableModels();
    if (models.empty()) GTEST_SKIP() << "no runnable model among the test data";
    ProgramSurroundings broken;
    broken.environment["FOVEA_RUNTIME"] = "/nonexistent/module.so";
    EXPECT_EQ(fovea({"info", models.front()}, broken).exitCode, 0);
}

TEST(InfoCommand, broken_configurations_are_refused_by_name) {
    const auto models = oneModelOfEachType();
    if (models.empty()) GTEST_SKIP() << "no runnable model among the test data";
    for (const fs::path& model : models) {
        const TemporaryFolder temporary;
        const fs::path folder = temporary / "model";
        copyModelFolder(model, folder);
        for (const BrokenFile& file : brokenConfigs(configOf(model))) {
            writeBytes(folder / "config.json", file.content);
            EXPECT_TRUE(refused(fovea({"info", folder, "--json"}), 1, {"config.json"}))
                << model << file.defect;
        }
    }
}

TEST(InfoCommand, places_without_a_model_are_refused_by_name) {
    const TemporaryFolder folder;
    EXPECT_TRUE(refused(fovea({"info", folder / "nothing"}), 1, {"nothing"}));
    EXPECT_TRUE(refused(fovea({"info", folder.path()}), 1, {"config.json"}));
    EXPECT_TRUE(refused(fovea({"info", ""}), 1));
}

}  // namespace
}  // namespace fovea::test
