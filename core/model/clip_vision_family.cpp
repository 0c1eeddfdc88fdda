// SPDX-License-Identifier: GPL-3.0-or-later
// The picture tower of CLIP: a norm before the first layer, and none over the last hidden state.
#include "core/model/model_family.h"
#include "core/model/vision_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"CLIPVisionModel", HeadKind::None},
    {"CLIPVisionModelWithProjection", HeadKind::Projection},
};

constexpr LayerNames layerNames{.query = "self_attn.q_proj",
                                .key = "self_attn.k_proj",
                                .value = "self_attn.v_proj",
                                .output = "self_attn.out_proj",
                                .attentionNorm = "layer_norm1",
                                .up = "mlp.fc1",
                                .down = "mlp.fc2",
                                .mlpNorm = "layer_norm2"};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config, {.activation = "quick_gelu"}, settings);
    setVisionEncoder(config, 1e-5, settings);
    settings.queryKeyValueBias = true;
    settings.picture = readPicture(config, 224, 32, {.patchBias = false, .norm = true});
    settings.pool = PoolKind::NormOfFirst;
    settings.projectionSize = config.size("projection_dim", 512);
}

TensorLayout makeLayout(const TransformerSettings& settings) {
    VisionLayout layout(settings, "vision_model.");
    const PictureSettings& picture = *settings.picture;
    const std::size_t hidden = settings.hiddenSize;
    const std::string name = layout.prefix() + "embeddings.";
    layout.ignore("*embeddings.position_ids");
    layout.add("class_token", name + "class_embedding", {hidden});
    layout.add("patch_position", name + "position_embedding.weight", {picture.tableLength(), hidden});
    layout.add("patch.weight", name + "patch_embedding.weight",
               {hidden, 3, picture.patchSize, picture.patchSize});
    // The name is misspelt in the files.
    layout.addNorm("picture_norm", layout.prefix() + "pre_layrnorm");
    layout.addLayers("encoder.layers.", layerNames);
    layout.addNorm("pooled_norm", layout.prefix() + "post_layernorm");
    if (settings.head == HeadKind::Projection) {
        layout.addDense("projection", "visual_projection", settings.projectionSize, hidden, false);
    }
    return std::move(layout).take();
}

}  // namespace

const ModelFamily clipVisionFamily{"clip_vision_model", architectures, readKeys, makeLayout};

}  // namespace fovea::model
