// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/io/named_arrays.h"
#include "core/model/transformer_settings.h"
#include "core/support/result.h"
#include "core/trace/model_runtime.h"
#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::test {

/// A tensor to be written as it is, whatever its type.
struct RawTensor {
    std::string name;
    io::ElementType type = io::ElementType::F32;
    std::vector<std::size_t> shape;
    std::vector<std::byte> bytes;
};

/// A copy of one of the bundled models, to be changed in one way.
class EditedModel {
public:
    explicit EditedModel(const std::string& bundledName = "bert-pair-classifier");

    const std::filesystem::path& folder() const { return folder_.path(); }
    std::filesystem::path file(const std::string& name) const { return folder_ / name; }
    /// Changes config.json.
    void config(const std::function<void(nlohmann::json&)>& edit);
    /// Changes model.safetensors.
    void tensors(const std::function<void(std::vector<RawTensor>&)>& edit);

private:
    TemporaryFolder folder_;
};

/// The settings of a folder whose config.json is `config`; throws the sentence that refuses it.
model::TransformerSettings settingsOf(const nlohmann::json& config);

std::string readBytes(const std::filesystem::path& file);
std::vector<RawTensor> readTensors(const std::filesystem::path& file);
void writeTensors(const std::filesystem::path& file, const std::vector<RawTensor>& tensors);

/// The tensor whose name ends so; throws when there is none.
RawTensor& tensorEndingWith(std::vector<RawTensor>& tensors, const std::string& end);
std::vector<float> floatsOf(const RawTensor& tensor);

/// Loads through the run-time module, without progress or stop.
Result<std::shared_ptr<const LoadedModel>> loadModel(const std::filesystem::path& folder,
                                                     const LoadOptions& options = {});

/// `count` ids below the vocabulary's size, always the same.
std::vector<std::int64_t> someIds(std::size_t count, std::size_t vocabularySize);

}  // namespace fovea::test
