// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/vision_transformer.h"

#include <cmath>

#include <fmt/format.h>

#include "core/training/model_files.h"

namespace fovea::training {

namespace {

constexpr double normEpsilon = 1e-12;

bool isBias(const std::string& name) { return name.ends_with(".bias"); }
bool isNormFactor(const std::string& name) {
    return name.ends_with(".weight") && name.find("layernorm") != std::string::npos;
}

std::vector<std::int64_t> extents(const std::vector<std::size_t>& shape) {
    return {shape.begin(), shape.end()};
}

/// One pass over one batch.
class Pass {
public:
    Pass(const VisionTransformerSizes& sizes, const ModelWeights& weights)
        : sizes_(sizes), weights_(weights) {}

    at::Tensor embedded(const at::Tensor& pixels) const {
        const auto across = static_cast<std::int64_t>(sizes_.patchesAcross());
        const auto patch = static_cast<std::int64_t>(sizes_.patch);
        const std::int64_t pictures = pixels.size(0);
        const at::Tensor patches = pixels.reshape({pictures, across, patch, across, patch})
                                       .permute({0, 1, 3, 2, 4})
                                       .reshape({pictures, across * across, patch * patch});
        const at::Tensor weight = weights_.get(patchWeightName).flatten(1);
        const at::Tensor states =
            at::linear(patches, weight, weights_.get("vit.embeddings.patch_embeddings.projection.bias"));
        const at::Tensor first = weights_.get("vit.embeddings.cls_token").expand({pictures, 1, hidden()});
        return at::cat({first, states}, 1) + weights_.get("vit.embeddings.position_embeddings");
    }

    at::Tensor layer(std::size_t index, const at::Tensor& before) const {
        const std::string name = fmt::format("vit.encoder.layer.{}.", index);
        const at::Tensor states = before + attention(name, norm(name + "layernorm_before", before));
        const at::Tensor inner = dense(name + "intermediate.dense", norm(name + "layernorm_after", states));
        return states + dense(name + "output.dense", at::gelu(inner));
    }

    at::Tensor norm(const std::string& name, const at::Tensor& states) const {
        return at::layer_norm(states, {hidden()}, weights_.get(name + ".weight"),
                              weights_.get(name + ".bias"), normEpsilon);
    }

    at::Tensor dense(const std::string& name, const at::Tensor& states) const {
        return at::linear(states, weights_.get(name + ".weight"), weights_.get(name + ".bias"));
    }

private:
    std::int64_t hidden() const { return static_cast<std::int64_t>(sizes_.hidden); }

    at::Tensor perHead(const at::Tensor& states) const {
        const auto heads = static_cast<std::int64_t>(sizes_.heads);
        return states.reshape({states.size(0), states.size(1), heads, hidden() / heads}).transpose(1, 2);
    }

    at::Tensor attention(const std::string& layer, const at::Tensor& states) const {
        const std::string name = layer + "attention.attention.";
        const at::Tensor query = perHead(dense(name + "query", states));
        const at::Tensor key = perHead(dense(name + "key", states));
        const at::Tensor value = perHead(dense(name + "value", states));
        const double width = static_cast<double>(sizes_.hidden / sizes_.heads);
        const at::Tensor scores = at::matmul(query / std::sqrt(width), key.transpose(-1, -2));
        const at::Tensor context = at::matmul(at::softmax(scores, -1), value);
        return dense(layer + "attention.output.dense", context.transpose(1, 2).reshape(states.sizes()));
    }

    const VisionTransformerSizes& sizes_;
    const ModelWeights& weights_;
};

}  // namespace

ModelWeights ModelWeights::initial(const VisionTransformerSizes& sizes, double deviation,
                                   RandomStream random) {
    ModelWeights weights;
    for (const TensorShape& shape : tensorShapes(sizes)) {
        at::Tensor tensor = at::zeros(extents(shape.shape), at::TensorOptions(at::kFloat));
        if (isNormFactor(shape.name)) {
            tensor.fill_(1);
        } else if (!isBias(shape.name)) {
            float* values = tensor.data_ptr<float>();
            for (std::int64_t i = 0; i < tensor.numel(); ++i) {
                values[i] = static_cast<float>(deviation * random.normal());
            }
        }
        weights.add(shape.name, tensor);
    }
    return weights;
}

void ModelWeights::add(std::string name, at::Tensor tensor) {
    places_.emplace(name, tensors_.size());
    names_.push_back(std::move(name));
    tensors_.push_back(std::move(tensor));
}

ModelWeights ModelWeights::roundedToHalf() const {
    ModelWeights rounded;
    for (const std::string& name : names_) {
        rounded.add(name, get(name).detach().to(at::kHalf).to(at::kFloat));
    }
    return rounded;
}

VisionAnswers answers(const VisionTransformerSizes& sizes, const ModelWeights& weights,
                      const at::Tensor& pixels) {
    const Pass pass(sizes, weights);
    at::Tensor states = pass.embedded(pixels);
    for (std::size_t layer = 0; layer < sizes.layers; ++layer) states = pass.layer(layer, states);
    states = pass.norm("vit.layernorm", states);
    return {pass.dense("classifier", states.select(1, 0)), states.slice(1, 1)};
}

}  // namespace fovea::training
