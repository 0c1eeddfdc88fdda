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

/// The names that ViT, DeiT and ViLT share.
extern const LayerNames vitLayerNames;

/// Collects the slots of a vision transformer.
class VisionLayout {
public:
    /// `prefix` is the body's, "vit."; every name of the body that is added begins with it.
    VisionLayout(const TransformerSettings& settings, std::string prefix);

    void add(std::string role, std::string name, std::vector<std::size_t> shape, std::string group = {});
    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  bool bias = true, const std::string& group = {});
    void addNorm(const std::string& role, const std::string& name);
    /// A tensor of the body that no run needs.
    void addIdle(std::string role, std::string name, std::vector<std::size_t> shape);
    /// Class, distillation and register tokens, patch projection and positions as ViT spells them.
    void addPicture();
    /// All layers; `name` stands between the body's prefix and the layer's number, "encoder.layer.".
    void addLayers(const std::string& name, const LayerNames& names);
    /// A dense pooler, required or as a group that may be absent.
    void addPooler(bool required = false);
    void ignore(std::string pattern) { layout_.ignored.push_back(std::move(pattern)); }

    const std::string& prefix() const { return layout_.bodyPrefix; }
    TensorLayout take() && { return std::move(layout_); }

private:
    void addLayer(const std::string& role, const std::string& name, const LayerNames& names);
    void addFeedForward(const std::string& role, const std::string& name, const LayerNames& names);

    const TransformerSettings& settings_;
    TensorLayout layout_;
};

}  // namespace fovea::model
