// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/sentence_modules.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/io/files.h"
#include "core/io/folder_links.h"
#include "core/io/message_text.h"
#include "core/model/config_reader.h"

namespace fovea::model {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

struct Module {
    std::string name;  ///< "Pooling", the last part of its type
    std::string path;  ///< of its own folder, below that of the model
};

struct PoolingKey {
    const char* flag;  ///< of files that tell each pooling by yes or no
    const char* word;  ///< of those that name it
    EmbeddingPooling pooling;
    bool absent = false;
};

constexpr PoolingKey poolingKeys[] = {
    {"pooling_mode_cls_token", "cls", EmbeddingPooling::First},
    {"pooling_mode_mean_tokens", "mean", EmbeddingPooling::Mean, true},
    {"pooling_mode_max_tokens", "max", EmbeddingPooling::Max},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", EmbeddingPooling::MeanByRoot},
    {"pooling_mode_weightedmean_tokens", "weightedmean", EmbeddingPooling::WeightedMean},
    {"pooling_mode_lasttoken", "lasttoken", EmbeddingPooling::Last},
};

Result<json> jsonOf(const fs::path& file, const fs::path& folder, bool list) {
    if (auto inside = io::checkStaysInFolder(file, folder); !inside) return std::unexpected(inside.error());
    Result<json> root = io::readJsonFile(file);
    if (!root || (list ? root->is_array() : root->is_object())) return root;
    return fail(fmt::format("{}: expected a JSON {}, found {}", file.string(), list ? "list" : "object",
                            shortText(*root)));
}

// More than any model has; each of them is a file or two.
constexpr std::size_t mostModules = 64;

Result<std::vector<Module>> readModules(const fs::path& file) {
    const Result<json> root = jsonOf(file, file.parent_path(), true);
    if (!root) return std::unexpected(root.error());
    if (root->size() > mostModules) {
        return fail(fmt::format("{}: expected at most {} modules, found {}", file.string(), mostModules,
                                root->size()));
    }
    std::vector<Module> modules;
    for (std::size_t i = 0; i < root->size(); ++i) {
        const json& entry = (*root)[i];
        const std::string place = fmt::format("[{}]", i);
        if (!entry.is_object()) {
            return fail(fmt::format("{}: {}: expected an object, found {}", file.string(), place,
                                    shortText(entry)));
        }
        ConfigReader reader(file, entry, place + ".");
        const std::string type = reader.text("type", "");
        modules.push_back({type.substr(type.rfind('.') + 1), reader.text("path", "")});
        if (reader.error()) return std::unexpected(*reader.error());
    }
    return modules;
}

EmbeddingPooling namedPooling(ConfigReader& reader) {
    const std::string word = reader.text("pooling_mode", "");
    std::vector<std::string> known;
    for (const PoolingKey& key : poolingKeys) {
        if (key.word == word) return key.pooling;
        known.emplace_back(key.word);
    }
    reader.failWith("pooling_mode", "one of " + joined(known), word, ErrorKind::Unsupported);
    return EmbeddingPooling::Mean;
}

EmbeddingPooling chosenPooling(ConfigReader& reader) {
    std::vector<PoolingKey> chosen;
    std::vector<std::string> names;
    for (const PoolingKey& key : poolingKeys) {
        if (!reader.flag(key.flag, key.absent)) continue;
        chosen.push_back(key);
        names.emplace_back(key.flag);
    }
    if (chosen.size() == 1) return chosen.front().pooling;
    const ErrorKind kind = chosen.empty() ? ErrorKind::Input : ErrorKind::Unsupported;
    reader.failWith("pooling_mode_...", "true once (several poolings side by side are not supported)",
                    chosen.empty() ? json() : json(joined(names)), kind);
    return EmbeddingPooling::Mean;
}

struct NamedActivation {
    const char* name;  ///< the last part of its class
    std::optional<Activation> activation;
};
constexpr NamedActivation activations[] = {{"Tanh", Activation::Tanh},
                                           {"Identity", std::nullopt},
                                           {"GELU", Activation::GeluErf},
                                           {"ReLU", Activation::Relu},
                                           {"SiLU", Activation::Silu}};

std::optional<Activation> readActivation(ConfigReader& reader) {
    constexpr const char* key = "activation_function";
    const std::string type = reader.text(key, "torch.nn.modules.activation.Tanh");
    std::vector<std::string> known;
    for (const auto& [name, activation] : activations) {
        if (type.substr(type.rfind('.') + 1) == name) return activation;
        known.emplace_back(name);
    }
    reader.failWith(key, "one of " + joined(known), type, ErrorKind::Unsupported);
    return std::nullopt;
}

Result<EmbeddingLayer> readLayer(const fs::path& folder, const std::string& path) {
    const fs::path file = folder / path / "config.json";
    const Result<json> root = jsonOf(file, folder, false);
    if (!root) return std::unexpected(root.error());
    ConfigReader reader(file, *root);
    EmbeddingLayer layer{path, reader.size("in_features", std::nullopt),
                         reader.size("out_features", std::nullopt), reader.flag("bias", true),
                         readActivation(reader)};
    if (reader.error()) return std::unexpected(*reader.error());
    return layer;
}

Result<EmbeddingPooling> readPooling(const fs::path& folder, const std::string& path) {
    const fs::path file = folder / path / "config.json";
    const Result<json> root = jsonOf(file, folder, false);
    if (!root) return std::unexpected(root.error());
    ConfigReader reader(file, *root);
    const EmbeddingPooling pooling =
        reader.has("pooling_mode") ? namedPooling(reader) : chosenPooling(reader);
    if (reader.error()) return std::unexpected(*reader.error());
    return pooling;
}

std::unexpected<Error> refused(const fs::path& file, std::size_t index, const char* key, const char* expected,
                               const std::string& found) {
    return fail(fmt::format("{}: [{}].{}: expected {}, found \"{}\"", file.string(), index, key, expected,
                            io::quotable(found)),
                ErrorKind::Unsupported);
}

constexpr const char* order = "Transformer, then Pooling, then Dense layers and at most one Normalize";

// A folder below, and nothing else; messages can show its name.
bool staysBelow(const fs::path& path) {
    const auto control = [](char letter) { return (letter >= 0 && letter < ' ') || letter == 0x7f; };
    return !path.empty() && path.is_relative() && std::ranges::none_of(path.native(), control) &&
           std::ranges::none_of(path, [](const fs::path& part) { return part == ".."; });
}

}  // namespace

Result<std::optional<EmbeddingSettings>> readSentenceModules(const fs::path& folder) {
    const fs::path file = folder / "modules.json";
    std::error_code problem;
    if (!fs::exists(file, problem)) return std::nullopt;
    const Result<std::vector<Module>> modules = readModules(file);
    if (!modules) return std::unexpected(modules.error());
    if (modules->empty() || modules->front().name != "Transformer") return std::nullopt;
    if (!modules->front().path.empty())
        return refused(file, 0, "path", "the transformer in this folder", modules->front().path);
    EmbeddingSettings embedding;
    bool pooled = false;
    for (std::size_t i = 1; i < modules->size(); ++i) {
        const auto& [name, path] = (*modules)[i];
        const bool first = name == "Pooling" && !pooled;
        const bool later = (name == "Dense" || name == "Normalize") && pooled && !embedding.unitLength;
        if (!first && !later) return refused(file, i, "type", order, name);
        if (name != "Normalize" && !staysBelow(path)) return refused(file, i, "path", "a folder below", path);
        if (first) {
            const auto pooling = readPooling(folder, path);
            if (!pooling) return std::unexpected(pooling.error());
            embedding.pooling = *pooling;
            pooled = true;
        } else if (name == "Dense") {
            auto layer = readLayer(folder, path);
            if (!layer) return std::unexpected(layer.error());
            embedding.layers.push_back(std::move(*layer));
        } else {
            embedding.unitLength = true;
        }
    }
    if (pooled) return embedding;
    return fail(fmt::format("{}: expected a Pooling behind the Transformer, found none", file.string()));
}

std::string embeddingRole(std::size_t index) { return fmt::format("embedding.{}", index); }

void addEmbeddingLayers(const EmbeddingSettings& embedding, TensorLayout& layout) {
    for (std::size_t i = 0; i < embedding.layers.size(); ++i) {
        const EmbeddingLayer& layer = embedding.layers[i];
        const auto add = [&](const char* part, std::vector<std::size_t> shape) {
            layout.slots.push_back(
                {embeddingRole(i) + part, {layer.folder + "/linear" + part}, std::move(shape)});
            layout.slots.back().ofHead = true;
        };
        add(".weight", {layer.outputs, layer.inputs});
        if (layer.bias) add(".bias", {layer.outputs});
    }
}

Result<std::shared_ptr<const io::TensorFiles>> withEmbeddingLayers(
    const fs::path& folder, const EmbeddingSettings& embedding,
    std::shared_ptr<const io::TensorFiles> weights) {
    std::error_code problem;
    for (const EmbeddingLayer& layer : embedding.layers) {
        fs::path file = folder / layer.folder / "model.safetensors";
        if (!fs::exists(file, problem)) file = folder / layer.folder / "pytorch_model.bin";
        if (!fs::exists(file, problem)) {
            return fail(fmt::format("{}: expected weights in model.safetensors or pytorch_model.bin, found "
                                    "neither in the folder",
                                    (folder / layer.folder).string()));
        }
        if (auto inside = io::checkStaysInFolder(file, folder); !inside)
            return std::unexpected(inside.error());
        const auto more = io::TensorFiles::openFile(file);
        if (!more) return std::unexpected(more.error());
        weights = io::TensorFiles::joined(*weights, **more, layer.folder + "/");
    }
    return weights;
}

}  // namespace fovea::model
