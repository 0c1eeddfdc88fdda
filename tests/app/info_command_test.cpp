// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "core/io/safetensors.h"
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
        for (const auto& [key, spelt] :
             {std::pair{"layers", "num_hidden_layers"}, {"heads", "num_attention_heads"}}) {
            EXPECT_EQ(json[key], config.value(spelt, json[key])) << folder << key;
        }
        const bool two = !json["decoder"].is_null();
        const std::size_t layers = json["layers"],
                          more = two ? 2 * json["decoder"]["layers"].get<std::size_t>() : 0;
        EXPECT_EQ(json["sites"].size(), layers + more) << folder;
        EXPECT_EQ(json["sites"][0]["name"], two ? "encoder.0" : "layer.0");
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

TEST(InfoCommand, says_first_that_a_head_is_missing) {
    const TemporaryFolder temporary;
    const fs::path from = bundledDataFolder() / "models" / "bert-pair-classifier",
                   folder = temporary / "model";
    copyModelFolder(from, folder);
    auto config = configOf(folder);
    config["architectures"] = {"BertForTokenClassification"};
    config["num_labels"] = 7;
    config.erase("id2label");
    writeBytes(folder / "config.json", config.dump());
    const auto file = io::SafetensorsFile::open(folder / "model.safetensors");
    ASSERT_TRUE(file);
    io::SafetensorsWriter body;
    for (const std::string& name : (*file)->names()) {
        const io::ArrayView* tensor = (*file)->find(name);
        if (name.starts_with("bert.")) body.addBytes(name, tensor->type, tensor->shape, tensor->bytes);
    }
    ASSERT_TRUE(body.write(folder / "model.safetensors"));
    const auto text = fovea({"info", folder});
    EXPECT_EQ(text.exitCode, 0);
    EXPECT_TRUE(text.out.starts_with("WARNING: the head of BertForTokenClassification is missing"))
        << text.out;
    EXPECT_TRUE(text.out.substr(0, text.out.find('\n')).contains("--body")) << text.out;
    const auto json = jsonOf(fovea({"info", folder, "--json"}));
    EXPECT_EQ(json["tensors"]["missing"], json["tensors"]["missing_of_head"]);
    const auto alone = jsonOf(fovea({"info", folder, "--body", "--json"}));
    EXPECT_TRUE(alone["tensors"]["missing"].empty());
    EXPECT_EQ(alone["architecture"], "BertModel");
    EXPECT_FALSE(fovea({"info", folder, "--body"}).out.contains("WARNING"));
}

TEST(InfoCommand, tells_memory_and_describes_the_first_layers_alone) {
    for (const fs::path& folder : runnableModels()) {
        const auto all = jsonOf(fovea({"info", folder, "--json"}));
        EXPECT_EQ(all["memory_bytes"].get<std::uint64_t>(), 4 * all["parameters"].get<std::uint64_t>())
            << folder;
        const auto one = jsonOf(fovea({"info", folder, "--first-layers", "1", "--json"}));
        EXPECT_EQ(one["layers"], 1) << folder;
        const std::size_t stacks = all["decoder"].is_null() ? 1 : 2;
        const std::size_t layers = all["layers"].get<std::size_t>() +
                                   (stacks == 2 ? all["decoder"]["layers"].get<std::size_t>() : 0);
        EXPECT_EQ(one["left_out_layers"].get<std::size_t>() + stacks, layers) << folder;
        EXPECT_TRUE(refused(fovea({"info", folder, "--first-layers", "0"}), 2, {"first layers", "found 0"}));
        EXPECT_TRUE(refused(fovea({"info", folder, "--first-layers", "many"}), 2));
        EXPECT_TRUE(refused(fovea({"info", folder, "--first-layers", "-1"}), 2, {"found “-1”"}));
        EXPECT_TRUE(refused(fovea({"info", folder, "--first-layers", "99999999999999999999"}), 2,
                            {"found “99999999999999999999”"}));
    }
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
