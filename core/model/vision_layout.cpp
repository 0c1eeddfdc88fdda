// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/vision_layout.h"

#include <fmt/format.h>

#include "core/support/precondition.h"

namespace fovea::model {

const LayerNames vitLayerNames{.query = "attention.attention.query",
                               .key = "attention.attention.key",
                               .value = "attention.attention.value",
                               .output = "attention.output.dense",
                               .attentionNorm = "layernorm_before",
                               .up = "intermediate.dense",
                               .down = "output.dense",
                               .mlpNorm = "layernorm_after"};

VisionLayout::VisionLayout(const TransformerSettings& settings, std::string prefix) : settings_(settings) {
    require(settings.picture.has_value(), "a vision model reads pictures");
    layout_.bodyPrefix = std::move(prefix);
}

void VisionLayout::add(std::string role, std::string name, std::vector<std::size_t> shape,
                       std::string group) {
    layout_.slots.push_back({std::move(role), {std::move(name)}, std::move(shape), std::move(group)});
}

void VisionLayout::addDense(const std::string& role, const std::string& name, std::size_t rows,
                            std::size_t columns, bool bias, const std::string& group) {
    add(role + ".weight", name + ".weight", {rows, columns}, group);
    if (bias) add(role + ".bias", name + ".bias", {rows}, group);
}

void VisionLayout::addNorm(const std::string& role, const std::string& name) {
    add(role + ".weight", name + ".weight", {settings_.hiddenSize});
    add(role + ".bias", name + ".bias", {settings_.hiddenSize});
}

void VisionLayout::addIdle(std::string role, std::string name, std::vector<std::size_t> shape) {
    add(std::move(role), std::move(name), std::move(shape));
    layout_.slots.back().idle = true;
}

void VisionLayout::addPicture() {
    const PictureSettings& picture = *settings_.picture;
    const std::size_t hidden = settings_.hiddenSize;
    const std::string name = prefix() + "embeddings.";
    add("class_token", name + "cls_token", {1, 1, hidden});
    if (picture.distillationToken) add("distillation_token", name + "distillation_token", {1, 1, hidden});
    if (picture.registers > 0) add("registers", name + "register_tokens", {1, picture.registers, hidden});
    add("patch_position", name + "position_embeddings", {1, picture.tableLength(), hidden});
    add("patch.weight", name + "patch_embeddings.projection.weight",
        {hidden, 3, picture.patchSize, picture.patchSize});
    add("patch.bias", name + "patch_embeddings.projection.bias", {hidden});
}

void VisionLayout::addLayers(const std::string& name, const LayerNames& names) {
    for (std::size_t i = 0; i < settings_.layers; ++i) {
        addLayer(fmt::format("layer.{}.", i), fmt::format("{}{}{}.", prefix(), name, i), names);
    }
}

void VisionLayout::addLayer(const std::string& role, const std::string& name, const LayerNames& names) {
    const std::size_t hidden = settings_.hiddenSize;
    const bool bias = settings_.queryKeyValueBias;
    addDense(role + "query", name + names.query, hidden, hidden, bias);
    addDense(role + "key", name + names.key, hidden, hidden, bias);
    addDense(role + "value", name + names.value, hidden, hidden, bias);
    addDense(role + "output", name + names.output, hidden, hidden);
    addNorm(role + "attention_norm", name + names.attentionNorm);
    addFeedForward(role, name, names);
    addNorm(role + "mlp_norm", name + names.mlpNorm);
    if (!settings_.layerScale) return;
    add(role + "attention_scale", name + names.attentionScale, {hidden});
    add(role + "mlp_scale", name + names.mlpScale, {hidden});
}

void VisionLayout::addFeedForward(const std::string& role, const std::string& name, const LayerNames& names) {
    const std::size_t hidden = settings_.hiddenSize, wide = settings_.intermediateSize;
    if (settings_.fusedGate) {
        addDense(role + "gate_up", name + names.fusedGate, 2 * wide, hidden);
        addDense(role + "down", name + names.fusedDown, hidden, wide);
    } else {
        addDense(role + "up", name + names.up, wide, hidden);
        addDense(role + "down", name + names.down, hidden, wide);
    }
}

void VisionLayout::addPooler(bool required) {
    addDense("pooler", prefix() + "pooler.dense", settings_.pooledSize, settings_.hiddenSize, true,
             required ? "" : "pooler");
}

}  // namespace fovea::model
