// SPDX-License-Identifier: GPL-3.0-or-later
// DINOv2: a ViT whose blocks scale what they add, in the larger models with a gated MLP; and the same
// with register tokens.
#include <cmath>

#include <fmt/format.h>

#include "core/model/model_family.h"
#include "core/model/vision_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"Dinov2Model", HeadKind::None},
    {"Dinov2ForImageClassification", HeadKind::ClassAndPatchesClassification},
};

constexpr std::pair<std::string_view, HeadKind> registerArchitectures[] = {
    {"Dinov2WithRegistersModel", HeadKind::None},
    {"Dinov2WithRegistersForImageClassification", HeadKind::ClassAndPatchesClassification},
};

constexpr LayerNames layerNames{.query = "attention.attention.query",
                                .key = "attention.attention.key",
                                .value = "attention.attention.value",
                                .output = "attention.output.dense",
                                .attentionNorm = "norm1",
                                .up = "mlp.fc1",
                                .down = "mlp.fc2",
                                .mlpNorm = "norm2",
                                .fusedGate = "mlp.weights_in",
                                .fusedDown = "mlp.weights_out",
                                .attentionScale = "layer_scale1.lambda1",
                                .mlpScale = "layer_scale2.lambda1"};

// The hidden width of the MLP, cut down to a whole number; a gated one keeps two thirds of it, rounded
// up to a multiple of 8.
void readMlp(ConfigReader& config, TransformerSettings& settings) {
    const double width = static_cast<double>(settings.hiddenSize) * config.positive("mlp_ratio", 4);
    if (!(width >= 1 && width <= static_cast<double>(largestSize))) {
        return config.failWith("mlp_ratio", fmt::format("1 to {} hidden units", largestSize), width);
    }
    settings.intermediateSize = static_cast<std::size_t>(width);
    if (!config.flag("use_swiglu_ffn", false)) return;
    const double kept = static_cast<double>(settings.intermediateSize) * 2 / 3;
    settings.intermediateSize = (static_cast<std::size_t>(kept) + 7) / 8 * 8;
    settings.gatedMlp = settings.fusedGate = true;
    settings.activation = Activation::Silu;
}

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config, {.intermediateSize = 0}, settings);
    setVisionEncoder(config, 1e-6, settings);
    readMlp(config, settings);
    settings.finalNorm = true;
    settings.layerScale = true;
    settings.pool = PoolKind::First;
}

TensorLayout makeLayout(const TransformerSettings& settings, const char* prefix) {
    VisionLayout layout(settings, prefix);
    layout.addPicture();
    if (settings.picture->maskToken)
        layout.addIdle("mask_token", layout.prefix() + "embeddings.mask_token", {1, settings.hiddenSize});
    if (settings.picture->registers == 0) layout.ignore("*embeddings.register_tokens");
    layout.addLayers("encoder.layer.", layerNames);
    layout.addNorm("final_norm", layout.prefix() + "layernorm");
    if (settings.head == HeadKind::ClassAndPatchesClassification) {
        layout.addDense("classifier", "classifier", settings.labels.size(), 2 * settings.hiddenSize);
    }
    return std::move(layout).take();
}

}  // namespace

const ModelFamily dinov2Family{
    "dinov2", architectures,
    [](ConfigReader& config, TransformerSettings& settings) {
        readKeys(config, settings);
        settings.picture = readPicture(config, 224, 14, {.maskToken = config.flag("use_mask_token", true)});
    },
    [](const TransformerSettings& settings) { return makeLayout(settings, "dinov2."); }};

const ModelFamily dinov2RegistersFamily{
    "dinov2_with_registers", registerArchitectures,
    [](ConfigReader& config, TransformerSettings& settings) {
        readKeys(config, settings);
        settings.picture = readPicture(
            config, 224, 16,
            {.resize = TableResize::BicubicAntialias, .registers = 4, .maskToken = true});
    },
    [](const TransformerSettings& settings) { return makeLayout(settings, "dinov2_with_registers."); }};

}  // namespace fovea::model
