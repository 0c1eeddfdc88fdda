// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_config.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/model/config_reader.h"
#include "core/model/model_folder.h"
#include "core/model/sentence_modules.h"
#include "core/model/tensor_layout.h"
#include "tests/fuzz/entries/entries.h"
#include "tests/fuzz/laws.h"
#include "tests/fuzz/seeds.h"
#include "tests/support/test_data.h"

namespace fovea::fuzz {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t longest = 1 << 13;

// Weights that fit no model: whatever it needs is missing.
void writeWeights(const fs::path& folder) {
    scratchFile(folder / "model.safetensors",
                test::safetensorsBytes(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "x"));
}

void checkSettings(const model::TransformerSettings& settings) {
    law(settings.layers >= 1 && settings.layers <= model::largestLayerCount, "layers are in range");
    law(settings.heads >= 1 && settings.keyValueHeads >= 1, "there are heads");
    law(settings.heads % settings.keyValueHeads == 0, "groups divide the heads");
    law(settings.headWidth >= 1 && settings.hiddenSize >= 1, "widths are positive");
    for (const std::size_t size : {settings.hiddenSize, settings.intermediateSize, settings.vocabularySize,
                                   settings.maxPositions, settings.typeVocabularySize})
        law(size <= 2 * model::largestSize, "sizes are in range");
    law(std::isfinite(settings.normEpsilon) && std::isfinite(settings.scoreScale), "numbers are finite");
    law(settings.windows.empty() || settings.windows.size() == settings.layers, "a window a layer");
    for (std::size_t i = 0; settings.distinctLayers > 0 && i < settings.layers; ++i)
        law(settings.weightsOfLayer(i) < settings.distinctLayers, "every layer has weights");
    if (settings.picture)
        law(settings.picture->rows * settings.picture->columns >= 1, "a picture has patches");
    const auto vocabulary = settings.decoder ? settings.decoder->vocabularySize : settings.vocabularySize;
    for (const std::int64_t id : settings.generation.never)
        law(id >= 0 && static_cast<std::uint64_t>(id) < vocabulary, "ids are in the vocabulary");
    for (const std::int64_t id : settings.generation.ends)
        law(id >= 0 && static_cast<std::uint64_t>(id) < vocabulary, "ids are in the vocabulary");
}

void checkLayout(const fs::path& folder, const model::TransformerSettings& settings) {
    const std::size_t layers = settings.layers + (settings.decoder ? settings.decoder->layers : 0);
    constexpr std::size_t few = 24;
    if (layers > few) return;
    for (const model::TensorSlot& slot : model::layoutOf(settings).slots) {
        law(!slot.names.empty(), "a weight has a name");
        for (const std::size_t extent : slot.shape) law(extent > 0, "a weight has elements");
    }
    const auto info = model::describeFolder(folder);
    if (!accepted(info, folder.string())) return;
    law(info->tensors.missing.size() > 0, "what no file has is missing");
    law(info->sites.size() >= settings.layers, "every layer has a site");
}

bool readConfigIn(const fs::path& name) {
    const fs::path folder = scratchFolder() / name;
    const auto settings = model::readSettings(folder);
    if (accepted(model::readSettings(folder, true), folder.string()) && !settings) return false;
    if (!accepted(settings, folder.string())) return false;
    checkSettings(*settings);
    checkLayout(folder, *settings);
    return true;
}

bool readConfig(Bytes input) {
    writeWeights("config");
    scratchFile("config/config.json", textOf(input));
    return readConfigIn("config");
}

std::vector<Seed> configs() { return filesEndingIn("/config.json", longest); }

std::vector<Seed> configSeeds() {
    std::vector<Seed> seeds = configs();
    for (const std::string& type : model::supportedModelTypes())
        seeds.push_back({type, nlohmann::json{{"model_type", type}}.dump()});
    for (const fs::path& folder : test::foldersWith("models", "config.json")) {
        const auto name = folder.filename();
        if (name != "llama-gqa" && !name.string().starts_with("bert-masked")) continue;
        const auto valid = nlohmann::json::parse(contentOf(folder / "config.json"));
        append(seeds, defects(test::brokenConfigs(valid), longest));
    }
    return seeds;
}

// The configuration of a model that writes, and what it says of its writing.
bool readGeneration(Bytes input) {
    const auto parts = partsOf(input, 2);
    writeWeights("generation");
    scratchFile("generation/generation_config.json", parts[0]);
    scratchFile("generation/config.json", parts[1]);
    return readConfigIn("generation");
}

std::vector<Seed> generationSeeds() {
    std::vector<Seed> seeds;
    const std::vector<std::string> families{
        R"({"model_type":"gpt2","architectures":["GPT2LMHeadModel"]})",
        R"({"model_type":"marian","architectures":["MarianMTModel"],"decoder_start_token_id":9,)"
        R"("eos_token_id":0})",
        R"({"model_type":"t5","architectures":["T5ForConditionalGeneration"]})"};
    std::vector<Seed> files = filesEndingIn("generation_config.json", longest / 2);
    files.push_back({"every_key",
                     R"({"eos_token_id":[1,2],"bos_token_id":0,"decoder_start_token_id":3,)"
                     R"("forced_bos_token_id":4,"forced_eos_token_id":[5],"bad_words_ids":[[6],[7,8]],)"
                     R"("suppress_tokens":[9,-1,99999999]})"});
    files.push_back({"not_there", "{}"});
    for (const Seed& file : files) {
        for (const std::string& family : families)
            seeds.push_back({file.name, joinedParts({file.content, family})});
    }
    return seeds;
}

// modules.json, and the files of a pooling and of a dense layer.
bool readModules(Bytes input) {
    const auto parts = partsOf(input, 3);
    scratchFile("modules/modules.json", parts[0]);
    scratchFile("modules/1_Pooling/config.json", parts[1]);
    scratchFile("modules/2_Dense/config.json", parts[2]);
    const fs::path folder = scratchFolder() / "modules";
    const auto modules = model::readSentenceModules(folder);
    if (!accepted(modules, folder.string())) return false;
    if (!*modules) return true;
    model::TensorLayout layout;
    model::addEmbeddingLayers(**modules, layout);
    law(layout.slots.size() >= (*modules)->layers.size(), "every dense layer has a weight");
    for (const model::EmbeddingLayer& layer : (*modules)->layers)
        law(!layer.folder.empty() && !layer.folder.contains("..") && layer.folder.front() != '/',
            "folders stay below");
    return true;
}

std::vector<Seed> moduleSeeds() {
    const std::string pooling = R"({"word_embedding_dimension":8,"pooling_mode_mean_tokens":true})";
    const std::string dense =
        R"({"in_features":8,"out_features":4,"bias":true,)"
        R"("activation_function":"torch.nn.modules.activation.Tanh"})";
    const auto module = [](const char* path, const char* type) {
        return R"({"idx":0,"name":"0","path":")" + std::string(path) +
               R"(","type":"sentence_transformers.models.)" + type + "\"}";
    };
    const std::string first = "[" + module("", "Transformer") + "," + module("1_Pooling", "Pooling");
    std::vector<Seed> seeds{
        {"pooling", joinedParts({first + "]", pooling, ""})},
        {"dense", joinedParts({first + "," + module("2_Dense", "Dense") + "]", pooling, dense})},
        {"norm", joinedParts({first + "," + module("3_Normalize", "Normalize") + "]",
                              R"({"pooling_mode":"cls"})", ""})},
        {"leads_out", joinedParts({first + "," + module("../2_Dense", "Dense") + "]", pooling, dense})},
    };
    for (const Seed& file : filesEndingIn("modules.json", longest / 2))
        seeds.push_back({file.name, joinedParts({file.content, pooling, dense})});
    return seeds;
}

}  // namespace

const Entry modelConfigEntry{"model_config",
                             longest,
                             readConfig,
                             configSeeds,
                             {"\"model_type\":", "\"architectures\":", "\"num_hidden_layers\":",
                              "\"num_attention_heads\":", "\"hidden_size\":", "\"rope_parameters\":",
                              "\"rope_scaling\":", "\"id2label\":", "\"layer_types\":", "\"sliding_window\":",
                              "\"image_size\":", "\"patch_size\":", "\"head_dim\":", "\"d_model\":", "null"}};
const Entry generationConfigEntry{"generation_config",
                                  longest,
                                  readGeneration,
                                  generationSeeds,
                                  {"\"eos_token_id\":", "\"bad_words_ids\":", "\"suppress_tokens\":",
                                   "\"forced_bos_token_id\":", "\"decoder_start_token_id\":", "[[1]]"}};
const Entry sentenceModulesEntry{"sentence_modules",
                                 longest,
                                 readModules,
                                 moduleSeeds,
                                 {"\"type\":", "\"path\":", "\"pooling_mode\":", "models.Dense",
                                  "models.Normalize", "\"in_features\":", ".."}};

}  // namespace fovea::fuzz
