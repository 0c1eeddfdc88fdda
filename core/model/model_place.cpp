// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_place.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/io/files.h"
#include "core/io/folder_links.h"
#include "core/io/message_text.h"
#include "core/model/config_reader.h"

namespace fovea::model {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view cachePrefix = "models--";

// No trailing separator, no "." or "..".
fs::path wholePath(const fs::path& path) {
    std::error_code ignored;
    const fs::path whole = fs::absolute(path, ignored).lexically_normal();
    return whole.has_filename() ? whole : whole.parent_path();
}

bool isCache(const fs::path& folder) {
    std::error_code ignored;
    return folder.filename().string().starts_with(cachePrefix) &&
           fs::is_directory(folder / "snapshots", ignored);
}

// The cache that a snapshot belongs to.
std::optional<fs::path> cacheOf(const fs::path& snapshot) {
    const fs::path parent = snapshot.parent_path();
    if (parent.filename() != "snapshots" || !isCache(parent.parent_path())) return std::nullopt;
    return parent.parent_path();
}

// "models--org--name" is "org/name".
std::string cachedName(const fs::path& cache) {
    const std::string text = cache.filename().string().substr(cachePrefix.size());
    std::string name;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool separator = text.compare(at, 2, "--") == 0;
        name += separator ? '/' : text[at];
        at += separator ? 1 : 0;
    }
    return name;
}

Result<fs::path> snapshotOf(const fs::path& cache) {
    constexpr std::size_t longestName = 256;
    std::error_code ignored;
    if (auto main = io::readTextFile(cache / "refs" / "main", longestName)) {
        std::erase_if(*main, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
        const bool plain = !main->empty() && !main->contains('/') && !main->starts_with('.');
        if (plain && fs::is_directory(cache / "snapshots" / *main, ignored))
            return cache / "snapshots" / *main;
    }
    std::optional<fs::directory_entry> newest;
    for (const fs::directory_entry& entry : fs::directory_iterator(cache / "snapshots", ignored)) {
        if (!entry.is_directory(ignored)) continue;
        const bool later = !newest || newest->last_write_time(ignored) < entry.last_write_time(ignored);
        if (later) newest = entry;
    }
    if (newest) return newest->path();
    return fail(
        fmt::format("{}: expected a snapshot of the model in its folder snapshots, found none: download "
                    "it again",
                    cache.string()));
}

// Snapshots, and folders that the hub's library filled, link to its cache.
Result<void> checkLinks(const fs::path& folder) {
    constexpr std::array endings{".json", ".safetensors", ".bin", ".txt", ".model", ".jpg", ".png"};
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
        if (!entry.is_symlink(ignored)) continue;
        if (std::ranges::find(endings, entry.path().extension()) == endings.end()) continue;
        if (auto inside = io::checkStaysInFolder(entry.path(), folder); !inside) return inside;
    }
    return {};
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

// Weights of other programs, and what can be done about them.
struct Foreign {
    std::string_view ending;  // of the file's name
    std::string_view advice;
};
constexpr Foreign foreignFiles[] = {
    {".gguf", "a file of llama.cpp, which is not read: open the folder of the model that it was made from"},
    {".ggml", "a file of llama.cpp, which is not read: open the folder of the model that it was made from"},
    {".onnx", "an ONNX graph, which is not read: open the folder of the model that it was exported from"},
    {"flax_model.msgpack",
     "weights of Flax, which are not read: convert them with transformers (from_pretrained with "
     "from_flax=True, then save_pretrained)"},
    {"tf_model.h5",
     "weights of TensorFlow, which are not read: convert them with transformers (from_pretrained with "
     "from_tf=True, then save_pretrained)"},
};

std::optional<Error> foreignFile(const fs::path& file) {
    const std::string name = lower(file.filename().string());
    for (const Foreign& foreign : foreignFiles) {
        if (name.ends_with(foreign.ending))
            return Error{fmt::format("{}: {}", file.string(), foreign.advice), ErrorKind::Unsupported};
    }
    return std::nullopt;
}

std::optional<Error> adapterError(const fs::path& folder) {
    const fs::path file = folder / "adapter_config.json";
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return std::nullopt;
    std::string base = "its base model";
    if (const auto config = io::readJsonFile(file); config && config->is_object()) {
        const auto name = config->find("base_model_name_or_path");
        if (name != config->end() && name->is_string())
            base = fmt::format("its base model {}", io::quotable(name->get<std::string>()));
    }
    return Error{
        fmt::format("{}: an adapter, expected a whole model: merge it with {} first (merge_and_unload of "
                    "peft, then save_pretrained)",
                    folder.string(), base),
        ErrorKind::Unsupported};
}

std::vector<fs::path> sortedEntries(const fs::path& folder) {
    std::error_code ignored;
    std::vector<fs::path> entries;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
        entries.push_back(entry.path());
    std::ranges::sort(entries);
    return entries;
}

// Parts of a model have a config.json too: how a sentence encoder pools, say.
bool describesModel(const fs::path& file) {
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) return false;
    const auto config = io::readJsonFile(file);
    return config && config->is_object() &&
           (config->contains("model_type") || config->contains("architectures"));
}

std::optional<Error> modelsInsideError(const fs::path& folder, const std::vector<fs::path>& entries) {
    constexpr std::size_t few = 5;
    std::vector<std::string> models;
    for (const fs::path& entry : entries) {
        if (describesModel(entry / "config.json") || isCache(entry)) models.push_back(entry.filename());
    }
    if (models.empty()) return std::nullopt;
    const std::string more = models.size() > few ? fmt::format(" and {} more", models.size() - few) : "";
    models.resize(std::min(models.size(), few));
    return Error{fmt::format("{}: expected a model folder, found a folder of model folders: open one of {}{}",
                             folder.string(), joined(models), more)};
}

}  // namespace

Result<ModelPlace> modelPlace(const fs::path& path) {
    std::error_code ignored;
    fs::path folder = wholePath(path);
    if (folder.filename() == "snapshots" && isCache(folder.parent_path())) folder = folder.parent_path();
    if (isCache(folder)) {
        const Result<fs::path> snapshot = snapshotOf(folder);
        if (!snapshot) return std::unexpected(snapshot.error());
        folder = *snapshot;
    }
    if (!fs::is_directory(folder, ignored)) return ModelPlace{path, path.filename().string()};
    const std::optional<fs::path> cache = cacheOf(folder);
    if (auto inside = checkLinks(folder); !inside) return std::unexpected(inside.error());
    // What the user wrote is what messages name, unless it led elsewhere.
    const bool moved = folder != wholePath(path);
    return ModelPlace{moved ? folder : path, cache ? cachedName(*cache) : folder.filename().string()};
}

fs::path weightsFile(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {"model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                             "pytorch_model.bin.index.json"}) {
        if (fs::exists(folder / name, ignored)) return folder / name;
    }
    return {};
}

Error noModelError(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
        if (auto error = foreignFile(path); error && fs::exists(path, ignored)) return *error;
        return Error{fmt::format("{}: expected a model folder, found {}", path.string(),
                                 fs::exists(path, ignored) ? "a file" : "nothing of that name")};
    }
    if (auto error = adapterError(path)) return *error;
    const std::vector<fs::path> entries = sortedEntries(path);
    for (const fs::path& entry : entries) {
        if (auto error = foreignFile(entry)) return *error;
    }
    for (const fs::path& entry : entries) {
        const std::string name = entry.filename().string();
        const bool shard =
            name.contains("-of-") && (name.ends_with(".safetensors") || name.ends_with(".bin"));
        if (!shard) continue;
        const char* index = name.ends_with(".bin") ? "pytorch_model.bin" : "model.safetensors";
        return Error{
            fmt::format("{}: found {}, but no {}.index.json that lists the files: download it as well",
                        path.string(), io::quotable(name), index)};
    }
    if (fs::exists(path / "config.json", ignored)) {
        return Error{
            fmt::format("{}: expected weights in model.safetensors or pytorch_model.bin, or in several "
                        "files with model.safetensors.index.json or pytorch_model.bin.index.json, found no "
                        "such file in the folder",
                        path.string())};
    }
    if (auto error = modelsInsideError(path, entries)) return *error;
    return Error{
        fmt::format("{}: expected a model folder with config.json, found no such file in it", path.string())};
}

}  // namespace fovea::model
