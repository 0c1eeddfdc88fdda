// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/vision_layout.h"

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

VisionLayout::VisionLayout(const TransformerSettings& settings, std::string prefix)
    : LayoutBuilder(settings, std::move(prefix)) {
    require(settings.picture.has_value(), "a vision model reads pictures");
}

void VisionLayout::addPicture() {
    const PictureSettings& picture = *settings().picture;
    const std::size_t hidden = settings().hiddenSize;
    const std::string name = prefix() + "embeddings.";
    add("class_token", name + "cls_token", {1, 1, hidden});
    if (picture.distillationToken) add("distillation_token", name + "distillation_token", {1, 1, hidden});
    if (picture.registers > 0) add("registers", name + "register_tokens", {1, picture.registers, hidden});
    add("patch_position", name + "position_embeddings", {1, picture.tableLength(), hidden});
    add("patch.weight", name + "patch_embeddings.projection.weight",
        {hidden, 3, picture.patchSize, picture.patchSize});
    add("patch.bias", name + "patch_embeddings.projection.bias", {hidden});
}

void VisionLayout::addPooler(bool required) {
    addDense("pooler", prefix() + "pooler.dense", settings().pooledSize, settings().hiddenSize, true,
             required ? "" : "pooler");
}

}  // namespace fovea::model
