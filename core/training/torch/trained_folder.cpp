// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/trained_folder.h"

#include <cmath>
#include <optional>
#include <span>

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include "core/io/files.h"
#include "core/io/safetensors.h"
#include "core/training/grey_png.h"
#include "core/training/model_files.h"
#include "core/training/torch/garment_pictures.h"

namespace fovea::training {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::int64_t channels = 3;

/// In half precision; the patches with a third of the weight in each channel.
at::Tensor fileTensor(const ModelWeights& weights, const std::string& name) {
    const at::Tensor tensor = weights.get(name).detach();
    if (name != patchWeightName) return tensor.to(at::kHalf).contiguous();
    return (tensor / static_cast<double>(channels)).to(at::kHalf).repeat({1, channels, 1, 1}).contiguous();
}

/// The sum over the channels, which see the same on pictures without colour.
at::Tensor trainingTensor(const std::string& name, const at::Tensor& inFile) {
    const at::Tensor tensor = inFile.to(at::kFloat);
    return name == patchWeightName ? tensor.sum(1, true) : tensor;
}

std::vector<std::size_t> fileShape(const TensorShape& tensor) {
    std::vector<std::size_t> shape = tensor.shape;
    if (tensor.name == patchWeightName) shape[1] = static_cast<std::size_t>(channels);
    return shape;
}

Json namesWhere(const GarmentRecipe& recipe, const std::vector<bool>& present) {
    Json names = Json::array();
    for (std::size_t kind = 0; kind < present.size(); ++kind) {
        if (present[kind]) names.push_back(recipe.data.kinds[kind].name);
    }
    return names;
}

/// One sample: its entry in samples.json, and how many garments it has, when all are told right.
struct Sample {
    std::string png;
    Json entry;
    std::optional<std::size_t> rightGarments;
};

Sample sampleAt(const GarmentRecipe& recipe, const GarmentSet& test, const at::Tensor& probabilities,
                std::size_t index) {
    const Collage collage = pictureAt(recipe, test, StreamPurpose::Test, index);
    const std::vector<bool> present = collage.presence(recipe.model.labels);
    Sample sample;
    sample.png = greyPng(collage.pixels, recipe.model.side, recipe.model.side);
    std::vector<bool> said;
    Json byName = Json::object();
    for (std::size_t kind = 0; kind < present.size(); ++kind) {
        const float probability = probabilities.data_ptr<float>()[index * present.size() + kind];
        byName[recipe.data.kinds[kind].name] = std::round(1e4 * static_cast<double>(probability)) / 1e4;
        said.push_back(probability > 0.5f);
    }
    sample.entry = {{"file", fmt::format("{:02}.png", index)},
                    {"garments", namesWhere(recipe, present)},
                    {"answer", namesWhere(recipe, said)},
                    {"probabilities", byName}};
    if (said == present) sample.rightGarments = collage.placements.size();
    return sample;
}

}  // namespace

Result<void> writeModel(const GarmentRecipe& recipe, const ModelWeights& weights, const fs::path& folder) {
    io::SafetensorsWriter writer;
    writer.metadata()["format"] = "pt";
    for (const TensorShape& tensor : tensorShapes(recipe.model)) {
        const at::Tensor values = fileTensor(weights, tensor.name);
        const auto* bytes = static_cast<const std::byte*>(values.data_ptr());
        writer.addBytes(tensor.name, io::ElementType::F16, fileShape(tensor),
                        std::span(bytes, values.numel() * values.element_size()));
    }
    if (auto written = writer.write(folder / "model.safetensors"); !written) return written;
    if (auto written = io::writeFileAtomically(folder / "config.json", configText(recipe)); !written) {
        return written;
    }
    if (auto written = io::writeFileAtomically(folder / "recipe.json", recipe.text.dump(2) + "\n");
        !written) {
        return written;
    }
    return io::writeFileAtomically(folder / "preprocessor_config.json", preprocessorText(recipe));
}

Result<ModelWeights> readModel(const GarmentRecipe& recipe, const fs::path& folder) {
    const fs::path path = folder / "model.safetensors";
    const auto file = io::SafetensorsFile::open(path);
    if (!file) return std::unexpected(file.error());
    ModelWeights weights;
    for (const TensorShape& tensor : tensorShapes(recipe.model)) {
        const std::vector<std::size_t> shape = fileShape(tensor);
        const io::ArrayView* found = (*file)->find(tensor.name);
        if (!found || found->shape != shape) {
            return fail(fmt::format("{}: expected {} of shape {} as its recipe says, found {}", path.string(),
                                    tensor.name, io::shapeText(shape),
                                    found ? io::shapeText(found->shape) : "no such tensor"));
        }
        auto values = io::convertedArray<float>(*found, tensor.name);
        if (!values) return std::unexpected(values.error());
        const std::vector<std::int64_t> extents(shape.begin(), shape.end());
        const at::Tensor view = at::from_blob(values->values.data(), extents, at::TensorOptions(at::kFloat));
        weights.add(tensor.name, trainingTensor(tensor.name, view.clone()));
    }
    return weights;
}

ModelWeights asInFile(const ModelWeights& weights) {
    ModelWeights kept;
    for (const std::string& name : weights.names()) {
        kept.add(name, trainingTensor(name, fileTensor(weights, name)));
    }
    return kept;
}

Result<void> writeSamples(const GarmentRecipe& recipe, const ModelWeights& weights, const GarmentSet& test,
                          const fs::path& folder) {
    if (recipe.samplePictures == 0) return {};
    const at::NoGradGuard noGraph;
    const GarmentBatch batch = batchOf(recipe, test, StreamPurpose::Test, 0, recipe.samplePictures);
    const at::Tensor logits = answers(recipe.model, weights, batch.pixels).logits;
    const at::Tensor probabilities = at::sigmoid(logits).contiguous();
    const fs::path samples = folder / "samples";
    std::error_code problem;
    if (!fs::create_directory(samples, problem)) {
        return fail(fmt::format("cannot write {}: {}", samples.string(), problem.message()),
                    ErrorKind::Output);
    }
    Json entries = Json::array();
    std::size_t most = 0;
    for (std::size_t index = 0; index < recipe.samplePictures; ++index) {
        const Sample sample = sampleAt(recipe, test, probabilities, index);
        const std::string name = sample.entry["file"];
        if (auto written = io::writeFileAtomically(samples / name, sample.png); !written) return written;
        if (sample.rightGarments.value_or(0) > most) {
            most = *sample.rightGarments;
            const auto written = io::writeFileAtomically(folder / "sample.png", sample.png);
            if (!written) return written;
        }
        entries.push_back(sample.entry);
    }
    return io::writeFileAtomically(samples / "samples.json", entries.dump(1) + "\n");
}

}  // namespace fovea::training
