// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/model/edited_model.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "core/io/safetensors.h"
#include "core/model/model_config.h"
#include "core/model/runtime_module.h"

namespace fovea::test {

namespace fs = std::filesystem;

EditedModel::EditedModel(const std::string& bundledName) {
    const fs::path from = bundledDataFolder() / "models" / bundledName;
    for (const char* name : {"config.json", "model.safetensors"})
        writeBytes(file(name), readBytes(from / name));
}

void EditedModel::config(const std::function<void(nlohmann::json&)>& edit) {
    nlohmann::json content = nlohmann::json::parse(readBytes(file("config.json")));
    edit(content);
    writeBytes(file("config.json"), content.dump(1));
}

void EditedModel::tensors(const std::function<void(std::vector<RawTensor>&)>& edit) {
    std::vector<RawTensor> content = readTensors(file("model.safetensors"));
    edit(content);
    writeTensors(file("model.safetensors"), content);
}

std::string readBytes(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<RawTensor> readTensors(const fs::path& file) {
    const auto opened = io::SafetensorsFile::open(file);
    if (!opened) throw std::runtime_error(opened.error().message);
    std::vector<RawTensor> tensors;
    for (const std::string& name : (*opened)->names()) {
        const io::ArrayView* view = (*opened)->find(name);
        tensors.push_back({name, view->type, view->shape, {view->bytes.begin(), view->bytes.end()}});
    }
    return tensors;
}

void writeTensors(const fs::path& file, const std::vector<RawTensor>& tensors) {
    nlohmann::json header = nlohmann::json::object();
    std::string data;
    for (const RawTensor& tensor : tensors) {
        const std::size_t begin = data.size();
        data.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
        header[tensor.name] = {{"dtype", io::elementTypeName(tensor.type)},
                               {"shape", tensor.shape},
                               {"data_offsets", {begin, data.size()}}};
    }
    writeBytes(file, safetensorsBytes(header.dump(), data));
}

RawTensor& tensorEndingWith(std::vector<RawTensor>& tensors, const std::string& end) {
    for (RawTensor& tensor : tensors) {
        if (tensor.name.ends_with(end)) return tensor;
    }
    throw std::runtime_error("no tensor ends with " + end);
}

std::vector<float> floatsOf(const RawTensor& tensor) {
    std::vector<float> values(tensor.bytes.size() / sizeof(float));
    std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
}

Result<std::shared_ptr<const LoadedModel>> loadModel(const fs::path& folder, const LoadOptions& options) {
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    return (*runtime)->load(folder, options, {});
}

std::vector<std::int64_t> someIds(std::size_t count, std::size_t vocabularySize) {
    std::vector<std::int64_t> ids(count);
    for (std::size_t i = 0; i < count; ++i)
        ids[i] = static_cast<std::int64_t>((i * 7919 + 13) % vocabularySize);
    return ids;
}

model::TransformerSettings settingsOf(const nlohmann::json& config) {
    const TemporaryFolder folder;
    writeBytes(folder / "config.json", config.dump());
    const auto settings = model::readSettings(folder.path());
    if (!settings) throw std::runtime_error(settings.error().message);
    return *settings;
}

}  // namespace fovea::test
