// SPDX-License-Identifier: GPL-3.0-or-later
// ViT: patches behind a class token, norms before blocks. DeiT: the same with a distillation token.
#include "core/model/model_family.h"
#include "core/model/vision_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> vitArchitectures[] = {
    {"ViTModel", HeadKind::None},
    {"ViTForImageClassification", HeadKind::ClassTokenClassification},
};

constexpr std::pair<std::string_view, HeadKind> deitArchitectures[] = {
    {"DeiTModel", HeadKind::None},
    {"DeiTForImageClassification", HeadKind::ClassTokenClassification},
    {"DeiTForImageClassificationWithTeacher", HeadKind::ClassAndDistillationClassification},
};

void readKeys(ConfigReader& config, bool distillationToken, TransformerSettings& settings) {
    readCommonKeys(config, {}, settings);
    setVisionEncoder(config, 1e-12, settings);
    settings.picture = readPicture(config, 224, 16, {.distillationToken = distillationToken});
    settings.finalNorm = true;
    settings.pooledSize = config.size("pooler_output_size", settings.hiddenSize);
    settings.poolerActivation = readActivation(config, "pooler_act", "tanh");
}

TensorLayout makeLayout(const TransformerSettings& settings, const char* prefix) {
    VisionLayout layout(settings, prefix);
    // Pre-training by masked pictures leaves its token in some files.
    layout.ignore("*embeddings.mask_token");
    layout.addPicture();
    layout.addLayers("encoder.layer.", vitLayerNames);
    layout.addNorm("final_norm", layout.prefix() + "layernorm");
    const std::size_t labels = settings.labels.size(), hidden = settings.hiddenSize;
    if (settings.head == HeadKind::None) layout.addPooler();
    if (settings.head == HeadKind::ClassTokenClassification) {
        layout.addDense("classifier", "classifier", labels, hidden);
    }
    if (settings.head == HeadKind::ClassAndDistillationClassification) {
        layout.addDense("classifier", "cls_classifier", labels, hidden);
        layout.addDense("distillation_classifier", "distillation_classifier", labels, hidden);
    }
    return std::move(layout).take();
}

}  // namespace

const ModelFamily vitFamily{
    "vit", vitArchitectures,
    [](ConfigReader& config, TransformerSettings& settings) { readKeys(config, false, settings); },
    [](const TransformerSettings& settings) { return makeLayout(settings, "vit."); }};

const ModelFamily deitFamily{
    "deit", deitArchitectures,
    [](ConfigReader& config, TransformerSettings& settings) { readKeys(config, true, settings); },
    [](const TransformerSettings& settings) { return makeLayout(settings, "deit."); }};

}  // namespace fovea::model
