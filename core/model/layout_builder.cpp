// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/layout_builder.h"

#include <fmt/format.h>

namespace fovea::model {

LayoutBuilder::LayoutBuilder(const TransformerSettings& settings, std::string prefix) : settings_(settings) {
    layout_.bodyPrefix = std::move(prefix);
}

void LayoutBuilder::add(std::string role, std::string name, std::vector<std::size_t> shape,
                        std::string group) {
    layout_.slots.push_back({std::move(role), {std::move(name)}, std::move(shape), std::move(group)});
}

void LayoutBuilder::addDense(const std::string& role, const std::string& name, std::size_t rows,
                             std::size_t columns, bool bias, const std::string& group) {
    add(role + ".weight", name + ".weight", {rows, columns}, group);
    if (bias) add(role + ".bias", name + ".bias", {rows}, group);
}

void LayoutBuilder::addNorm(const std::string& role, const std::string& name, std::size_t width) {
    if (width == 0) width = settings_.hiddenSize;
    add(role + ".weight", name + ".weight", {width});
    add(role + ".bias", name + ".bias", {width});
}

void LayoutBuilder::addIdle(std::string role, std::string name, std::vector<std::size_t> shape) {
    add(std::move(role), std::move(name), std::move(shape));
    layout_.slots.back().idle = true;
}

void LayoutBuilder::addLayers(const std::string& name, const LayerNames& names) {
    const std::size_t count = settings_.distinctLayers > 0 ? settings_.distinctLayers : settings_.layers;
    for (std::size_t i = 0; i < count; ++i) {
        addLayer(fmt::format("layer.{}.", i), fmt::format("{}{}{}.", prefix(), name, i), names);
    }
}

void LayoutBuilder::addLayer(const std::string& role, const std::string& name, const LayerNames& names) {
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

void LayoutBuilder::addFeedForward(const std::string& role, const std::string& name,
                                   const LayerNames& names) {
    const std::size_t hidden = settings_.hiddenSize, wide = settings_.intermediateSize;
    if (settings_.fusedGate) {
        addDense(role + "gate_up", name + names.fusedGate, 2 * wide, hidden);
        addDense(role + "down", name + names.fusedDown, hidden, wide);
    } else {
        addDense(role + "up", name + names.up, wide, hidden);
        addDense(role + "down", name + names.down, hidden, wide);
    }
}

}  // namespace fovea::model
