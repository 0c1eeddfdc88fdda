// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

/// What the files of a family call the parts of one layer, behind the layer's own prefix.
struct LayerNames {
    const char* query;
    const char* key;
    const char* value;
    const char* output;
    const char* attentionNorm;
    const char* up;
    const char* down;
    const char* mlpNorm;
    const char* fusedGate = "";  ///< where settings.fusedGate
    const char* fusedDown = "";
    const char* attentionScale = "";  ///< where settings.layerScale
    const char* mlpScale = "";
};

/// Collects the slots of one stack of layers whose heads share no keys.
class LayoutBuilder {
public:
    /// `prefix` is the body's, "bert."; every name of the body that is added begins with it.
    LayoutBuilder(const TransformerSettings& settings, std::string prefix);

    void add(std::string role, std::string name, std::vector<std::size_t> shape, std::string group = {});
    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  bool bias = true, const std::string& group = {});
    /// `width` 0: the hidden size.
    void addNorm(const std::string& role, const std::string& name, std::size_t width = 0);
    /// A tensor of the body that no run needs.
    void addIdle(std::string role, std::string name, std::vector<std::size_t> shape);
    /// Another name of the slot added last, for files that lack the names before it.
    void alsoCalled(std::string name) { layout_.slots.back().names.push_back(std::move(name)); }
    /// The slot added last holds the numbers of another slot.
    void shareLast() { layout_.slots.back().shared = true; }
    /// What a report calls the slot added last where a file has none of its names.
    void missingAs(std::string name) { layout_.slots.back().missingAs = std::move(name); }
    /// All layers that have weights of their own; `name` stands between the body's prefix and the layer's
    /// number, "encoder.layer.".
    void addLayers(const std::string& name, const LayerNames& names);
    void ignore(std::string pattern) { layout_.ignored.push_back(std::move(pattern)); }

    const TransformerSettings& settings() const { return settings_; }
    const std::string& prefix() const { return layout_.bodyPrefix; }
    TensorLayout take() && { return std::move(layout_); }

private:
    void addLayer(const std::string& role, const std::string& name, const LayerNames& names);
    void addFeedForward(const std::string& role, const std::string& name, const LayerNames& names);

    const TransformerSettings& settings_;
    TensorLayout layout_;
};

}  // namespace fovea::model
