// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/model_files.h"

#include <fmt/format.h>

namespace fovea::training {

namespace {

using Json = nlohmann::ordered_json;

std::string fileText(const Json& json) { return json.dump(2) + "\n"; }

void addDense(std::vector<TensorShape>& tensors, const std::string& name, std::size_t in, std::size_t out) {
    tensors.push_back({name + ".weight", {out, in}});
    tensors.push_back({name + ".bias", {out}});
}

void addNorm(std::vector<TensorShape>& tensors, const std::string& name, std::size_t hidden) {
    tensors.push_back({name + ".weight", {hidden}});
    tensors.push_back({name + ".bias", {hidden}});
}

}  // namespace

std::string configText(const GarmentRecipe& recipe) {
    Json names = Json::object();
    Json indices = Json::object();
    for (std::size_t label = 0; label < recipe.data.kinds.size(); ++label) {
        names[std::to_string(label)] = recipe.data.kinds[label].name;
        indices[recipe.data.kinds[label].name] = label;
    }
    return fileText({{"architectures", {"ViTForImageClassification"}},
                     {"attention_probs_dropout_prob", 0.0},
                     {"encoder_stride", recipe.model.patch},
                     {"hidden_act", "gelu"},
                     {"hidden_dropout_prob", 0.0},
                     {"hidden_size", recipe.model.hidden},
                     {"id2label", names},
                     {"image_size", recipe.model.side},
                     {"initializer_range", recipe.training.initialDeviation},
                     {"intermediate_size", recipe.model.intermediate},
                     {"label2id", indices},
                     {"layer_norm_eps", 1e-12},
                     {"model_type", "vit"},
                     {"num_attention_heads", recipe.model.heads},
                     {"num_channels", 3},
                     {"num_hidden_layers", recipe.model.layers},
                     {"patch_size", recipe.model.patch},
                     {"problem_type", "multi_label_classification"},
                     {"qkv_bias", true},
                     {"torch_dtype", "float16"}});
}

std::string preprocessorText(const GarmentRecipe& recipe) {
    const Json mean = {recipe.data.mean, recipe.data.mean, recipe.data.mean};
    const Json deviation = {recipe.data.deviation, recipe.data.deviation, recipe.data.deviation};
    return fileText({{"do_normalize", true},
                     {"do_rescale", true},
                     {"do_resize", true},
                     {"image_mean", mean},
                     {"image_processor_type", "ViTImageProcessor"},
                     {"image_std", deviation},
                     {"resample", 2},
                     {"rescale_factor", 1.0 / 255},
                     {"size", {{"height", recipe.model.side}, {"width", recipe.model.side}}}});
}

std::vector<TensorShape> tensorShapes(const VisionTransformerSizes& sizes) {
    const std::size_t hidden = sizes.hidden;
    std::vector<TensorShape> tensors = {
        {"vit.embeddings.cls_token", {1, 1, hidden}},
        {"vit.embeddings.position_embeddings", {1, sizes.positions(), hidden}},
        {patchWeightName, {hidden, 1, sizes.patch, sizes.patch}},
        {"vit.embeddings.patch_embeddings.projection.bias", {hidden}}};
    for (std::size_t layer = 0; layer < sizes.layers; ++layer) {
        const std::string name = fmt::format("vit.encoder.layer.{}.", layer);
        addNorm(tensors, name + "layernorm_before", hidden);
        for (const char* part : {"query", "key", "value"}) {
            addDense(tensors, name + "attention.attention." + part, hidden, hidden);
        }
        addDense(tensors, name + "attention.output.dense", hidden, hidden);
        addNorm(tensors, name + "layernorm_after", hidden);
        addDense(tensors, name + "intermediate.dense", hidden, sizes.intermediate);
        addDense(tensors, name + "output.dense", sizes.intermediate, hidden);
    }
    addNorm(tensors, "vit.layernorm", hidden);
    addDense(tensors, "classifier", hidden, sizes.labels);
    return tensors;
}

}  // namespace fovea::training
