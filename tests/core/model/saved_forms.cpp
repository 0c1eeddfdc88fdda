// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/model/saved_forms.h"

#include <utility>

#include "tests/support/torch_files.h"

namespace fovea::test {

namespace fs = std::filesystem;
using nlohmann::json;

std::string torchSaved(const std::vector<RawTensor>& tensors, bool old) {
    std::vector<PickledTensor> pickled;
    std::vector<std::pair<std::string, std::string>> storages;
    for (const RawTensor& tensor : tensors) {
        PickledTensor one{
            .name = tensor.name, .key = std::to_string(storages.size()), .shape = {}, .strides = {}};
        std::int64_t step = 1;
        for (const std::size_t extent : tensor.shape) one.shape.push_back(static_cast<std::int64_t>(extent));
        for (std::size_t axis = tensor.shape.size(); axis-- > 0; step *= one.shape[axis])
            one.strides.insert(one.strides.begin(), step);
        one.storageCount = step;
        pickled.push_back(one);
        storages.emplace_back(
            one.key, std::string(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()));
    }
    return old ? torchOld(statePickle(pickled), storages) : torchZip(statePickle(pickled), storages);
}

void shard(const EditedModel& model) {
    const std::vector<RawTensor> all = readTensors(model.file("model.safetensors"));
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    json map;
    for (auto tensor = all.begin(); tensor != all.end(); ++tensor)
        map[tensor->name] =
            tensor < middle ? "model-00001-of-00002.safetensors" : "model-00002-of-00002.safetensors";
    writeTensors(model.file("model-00001-of-00002.safetensors"), {all.begin(), middle});
    writeTensors(model.file("model-00002-of-00002.safetensors"), {middle, all.end()});
    writeBytes(model.file("model.safetensors.index.json"), json{{"weight_map", map}}.dump());
    fs::remove(model.file("model.safetensors"));
}

void replaceWeights(const EditedModel& model, const std::string& name, std::string_view content) {
    fs::remove(model.file("model.safetensors"));
    writeBytes(model.file(name), content);
}

void removeTensors(EditedModel& model, std::string_view part) {
    model.tensors([&](auto& tensors) {
        std::erase_if(tensors, [&](const RawTensor& tensor) { return tensor.name.contains(part); });
    });
}

}  // namespace fovea::test
