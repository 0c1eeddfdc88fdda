// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_config.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "core/io/files.h"
#include "core/model/generation_config.h"
#include "core/model/model_family.h"
#include "core/model/sentence_modules.h"

namespace fovea::model {

using nlohmann::json;

namespace {

// Labels are kept by name, so their number is bounded apart from other sizes.
constexpr std::size_t largestLabelCount = 100000;

constexpr std::pair<std::string_view, Activation> activations[] = {
    {"gelu", Activation::GeluErf},       {"gelu_python", Activation::GeluErf},
    {"gelu_new", Activation::GeluTanh},  {"gelu_pytorch_tanh", Activation::GeluTanh},
    {"gelu_fast", Activation::GeluTanh}, {"quick_gelu", Activation::QuickGelu},
    {"relu", Activation::Relu},          {"silu", Activation::Silu},
    {"swish", Activation::Silu},         {"tanh", Activation::Tanh},
};

// Names in `architectures`; none where there is no such list.
std::vector<std::string> architecturesOf(const json& root) {
    std::vector<std::string> names;
    const auto list = root.find("architectures");
    if (list == root.end() || !list->is_array()) return names;
    for (const json& name : *list) {
        if (name.is_string()) names.push_back(name.get<std::string>());
    }
    return names;
}

void readArchitecture(ConfigReader& config, const json& root, const ModelFamily& family, bool bodyAlone,
                      TransformerSettings& settings) {
    settings.architecture = family.architectures.front().first;
    settings.head = family.architectures.front().second;
    const auto list = root.find("architectures");
    if (list == root.end() || list->is_null()) return;
    if (!list->is_array() || !std::ranges::all_of(*list, [](const json& name) { return name.is_string(); })) {
        return config.failWith("architectures", "a list of names", *list);
    }
    if (list->empty()) return;
    const auto named = list->front().get<std::string>();
    std::vector<std::string> known;
    for (const auto& [name, head] : family.architectures) {
        known.emplace_back(name);
        if (name != named) continue;
        // Of the bodies of a family (an encoder alone), each stays what it is.
        if (bodyAlone && head != settings.head) return;
        settings.architecture = named;
        settings.head = head;
        return;
    }
    if (bodyAlone) return;
    settings.architecture = named;
    config.failWith("architectures", fmt::format("one of {}", joined(known)), named, ErrorKind::Unsupported);
}

// `id2label` gives number and names; without it there are `num_labels`, or two.
void readLabels(ConfigReader& config, TransformerSettings& settings) {
    const json* names = config.object("id2label");
    if (names && (names->empty() || names->size() > largestLabelCount)) {
        return config.failWith("id2label", fmt::format("1 to {} labels", largestLabelCount), names->size());
    }
    settings.multiLabel = config.text("problem_type", "") == "multi_label_classification";
    const std::size_t count =
        names ? names->size() : config.size("num_labels", settings.usualLabels, largestLabelCount);
    for (std::size_t i = 0; i < count; ++i) settings.labels.push_back(fmt::format("LABEL_{}", i));
    if (!names) return;
    for (const auto& [key, name] : names->items()) {
        std::size_t index = 0;
        const auto [end, problem] = std::from_chars(key.data(), key.data() + key.size(), index);
        if (problem != std::errc() || end != key.data() + key.size()) {
            return config.failWith("id2label", "whole numbers as keys", key);
        }
        if (!name.is_string()) return config.failWith("id2label." + key, "a text", name);
        if (index < count) settings.labels[index] = name.get<std::string>();
    }
}

// Some older files say nothing but the architecture.
const ModelFamily* familyWithArchitecture(std::string_view name) {
    for (const ModelFamily* family : modelFamilies()) {
        for (const auto& [known, head] : family->architectures) {
            if (known == name) return family;
        }
    }
    return nullptr;
}

// What modules.json says must fit the body.
void checkEmbedding(ConfigReader& config, const TransformerSettings& settings) {
    if (settings.decoder || settings.picture) {
        config.failWith({fmt::format("{}: expected no modules.json beside it (sentence embeddings of {} are "
                                     "not supported)",
                                     config.file().string(), settings.architecture),
                         ErrorKind::Unsupported});
    }
    std::size_t width = settings.hiddenSize;
    for (const EmbeddingLayer& layer : settings.embedding->layers) {
        if (layer.inputs != width) {
            const auto file = config.file().parent_path() / layer.folder / "config.json";
            config.failWith(
                {fmt::format("{}: in_features: expected {}, the width of what comes before, found {}",
                             file.string(), width, layer.inputs)});
        }
        width = layer.outputs;
    }
}

// A folder of sentence embeddings may name the head that its body was trained with, whose weights are gone.
void readEmbedding(ConfigReader& config, const ModelFamily& family, TransformerSettings& settings) {
    const auto embedding = readSentenceModules(config.file().parent_path());
    if (!embedding) return config.failWith(embedding.error());
    if (!*embedding) return;
    settings.embedding = **embedding;
    if (settings.head != HeadKind::None) settings.architecture = family.architectures.front().first;
    settings.head = HeadKind::SentenceEmbedding;
}

const ModelFamily* familyOf(ConfigReader& config, const json& root) {
    const json type = root.value("model_type", json());
    if (type.is_null()) {
        for (const std::string& name : architecturesOf(root)) {
            if (const ModelFamily* family = familyWithArchitecture(name)) return family;
        }
    }
    const ModelFamily* family = type.is_string() ? findFamily(type.get<std::string>()) : nullptr;
    if (!family) {
        config.failWith("model_type", fmt::format("one of {}", joined(supportedModelTypes())), type,
                        type.is_string() ? ErrorKind::Unsupported : ErrorKind::Input);
    }
    return family;
}

}  // namespace

std::span<const ModelFamily* const> modelFamilies() {
    static constexpr std::array families{
        &albertFamily,
        &bartFamily,
        &bertFamily,
        &camembertFamily,
        &clipVisionFamily,
        &deitFamily,
        &dinov2Family,
        &dinov2RegistersFamily,
        &distilbertFamily,
        &electraFamily,
        &gpt2Family,
        &gptNeoxFamily,
        &llamaFamily,
        &mistralFamily,
        &marianFamily,
        &mbartFamily,
        &mpnetFamily,
        &mt5Family,
        &pegasusFamily,
        &qwen2Family,
        &qwen3Family,
        &robertaFamily,
        &t5Family,
        &viltFamily,
        &vitFamily,
        &xlmRobertaFamily,
    };
    return families;
}

const ModelFamily* findFamily(std::string_view modelType) {
    for (const ModelFamily* family : modelFamilies()) {
        if (family->modelType == modelType) return family;
    }
    return nullptr;
}

std::vector<std::string> supportedModelTypes() {
    std::vector<std::string> types;
    for (const ModelFamily* family : modelFamilies()) types.emplace_back(family->modelType);
    std::ranges::sort(types);
    return types;
}

Activation activationNamed(ConfigReader& config, const char* key, const std::string& name) {
    std::vector<std::string> known;
    for (const auto& [word, activation] : activations) {
        if (word == name) return activation;
        known.emplace_back(word);
    }
    config.failWith(key, fmt::format("one of {}", joined(known)), name, ErrorKind::Unsupported);
    return Activation::GeluErf;
}

Activation readActivation(ConfigReader& config, const char* key, const char* absent) {
    return activationNamed(config, key, config.text(key, absent));
}

void readCommonKeys(ConfigReader& config, const CommonDefaults& defaults, TransformerSettings& settings) {
    const auto size = [&](const char* key, std::size_t absent) {
        return absent == 0 ? 0 : config.size(key, absent);
    };
    settings.vocabularySize = size("vocab_size", defaults.vocabularySize);
    settings.hiddenSize = config.size("hidden_size", defaults.hiddenSize);
    settings.layers = config.size("num_hidden_layers", defaults.layers, largestLayerCount);
    settings.heads = config.size("num_attention_heads", defaults.heads);
    settings.intermediateSize = size("intermediate_size", defaults.intermediateSize);
    settings.maxPositions = size("max_position_embeddings", defaults.maxPositions);
    settings.activation = readActivation(config, "hidden_act", defaults.activation);
    settings.tiedEmbeddings = config.flag("tie_word_embeddings", defaults.tiedEmbeddings);
    settings.pooledSize = settings.hiddenSize;
    if (defaults.headsDivideHidden && settings.hiddenSize % settings.heads != 0) {
        config.failWith("num_attention_heads",
                        fmt::format("a number that divides {} {}", config.nameOf("hidden_size"),
                                    settings.hiddenSize),
                        settings.heads);
    }
    if (const json* quantized = config.object("quantization_config")) {
        config.failWith("quantization_config",
                        "nothing (quantized weights are not read: open the model that they were made from)",
                        *quantized, ErrorKind::Unsupported);
    }
}

Result<TransformerSettings> readSettings(const std::filesystem::path& folder, bool bodyAlone) {
    std::error_code problem;
    if (!std::filesystem::is_directory(folder, problem)) {
        const char* found = std::filesystem::exists(folder, problem) ? "a file" : "nothing of that name";
        return fail(fmt::format("{}: expected a model folder, found {}", folder.string(), found));
    }
    const std::filesystem::path file = folder / "config.json";
    if (!std::filesystem::exists(file, problem)) {
        return fail(fmt::format("{}: expected a model folder with config.json, found no such file in it",
                                folder.string()));
    }
    const Result<json> root = io::readJsonFile(file);
    if (!root) return std::unexpected(root.error());
    if (!root->is_object()) {
        return fail(fmt::format("{}: expected a JSON object, found {}", file.string(), shortText(*root)));
    }
    ConfigReader config(file, *root);
    const ModelFamily* family = familyOf(config, *root);
    if (!family) return std::unexpected(*config.error());
    TransformerSettings settings;
    settings.modelType = family->modelType;
    readArchitecture(config, *root, *family, bodyAlone, settings);
    if (!bodyAlone) readEmbedding(config, *family, settings);
    family->readKeys(config, settings);
    readGeneration(config, settings);
    const bool summed = settings.decoder && settings.head == HeadKind::SequenceClassification;
    if (summed && !settings.summaryToken())
        config.failWith("eos_token_id", "the token at whose last place a classifier reads", nullptr);
    if (isClassifier(settings.head) && settings.labels.empty()) readLabels(config, settings);
    if (settings.embedding) checkEmbedding(config, settings);
    if (config.error()) return std::unexpected(*config.error());
    return settings;
}

}  // namespace fovea::model
