// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/bart_layout.h"

#include <cmath>

#include <fmt/format.h>

#include "core/model/two_stack_layout.h"

namespace fovea::model {

namespace {

constexpr StackNames stackNames{.layers = "layers.",
                                .attention = "self_attn.",
                                .cross = "encoder_attn.",
                                .query = "q_proj",
                                .key = "k_proj",
                                .value = "v_proj",
                                .output = "out_proj",
                                .attentionNorm = "self_attn_layer_norm",
                                .crossNorm = "encoder_attn_layer_norm",
                                .up = "fc1",
                                .down = "fc2",
                                .mlpNorm = "final_layer_norm",
                                .finalNorm = "layer_norm"};

void readDecoder(ConfigReader& config, TransformerSettings& settings) {
    DecoderSettings decoder;
    decoder.layers = config.size("decoder_layers", 12, largestLayerCount);
    decoder.heads = config.size("decoder_attention_heads", 16);
    decoder.intermediateSize = config.size("decoder_ffn_dim", 4096);
    decoder.vocabularySize = settings.vocabularySize;
    if (settings.hiddenSize % decoder.heads != 0) {
        config.failWith("decoder_attention_heads",
                        fmt::format("a number that divides d_model {}", settings.hiddenSize), decoder.heads);
    }
    decoder.headWidth = settings.hiddenSize / decoder.heads;
    settings.decoder = decoder;
}

// Learned positions, or sinusoids, which a file may hold as well.
void addPositions(const TransformerSettings& settings, const char* stack, const std::string& role,
                  TwoStackLayout& layout) {
    TensorSlot& slot = layout.addBody(role + "position.weight", std::string(stack) + "embed_positions.weight",
                                      {settings.maxPositions + settings.positionOffset, settings.hiddenSize});
    if (settings.positions == PositionKind::Sinusoidal) slot.optionalGroup = role + "positions";
}

void addStackOf(const TransformerSettings& settings, bool decoder, TwoStackLayout& layout) {
    const char* stack = decoder ? "decoder." : "encoder.";
    const std::string role = decoder ? "decoder." : "";
    addPositions(settings, stack, role, layout);
    if (settings.embeddingNorm)
        layout.addNorm(role + "embedding_norm", std::string(stack) + "layernorm_embedding");
    layout.addStack(decoder, stackNames);
}

}  // namespace

void readBartKeys(ConfigReader& config, const BartTraits& traits, TransformerSettings& settings) {
    config.spell("hidden_size", "d_model");
    config.spell("num_hidden_layers", "encoder_layers");
    config.spell("num_attention_heads", "encoder_attention_heads");
    config.spell("intermediate_size", "encoder_ffn_dim");
    config.spell("hidden_act", "activation_function");
    readCommonKeys(config,
                   {.vocabularySize = traits.vocabularySize,
                    .hiddenSize = 1024,
                    .layers = 12,
                    .heads = 16,
                    .intermediateSize = 4096,
                    .maxPositions = 1024,
                    .activation = "gelu",
                    .tiedEmbeddings = true},
                   settings);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = settings.hiddenSize / settings.heads;
    settings.normEpsilon = 1e-5;
    settings.queryKeyValueBias = settings.attentionOutputBias = settings.mlpBias = true;
    if (config.flag("scale_embedding", false))
        settings.embeddingScale = std::sqrt(static_cast<double>(settings.hiddenSize));
    readDecoder(config, settings);
    settings.generation.start = traits.start;
    settings.generation.ends = {traits.end};
    settings.generation.forcedLast = traits.end;
}

TensorLayout bartLayout(const TransformerSettings& settings, bool sharedWords) {
    TwoStackLayout layout(settings, "model.");
    layout.ignore("*encoder.version");
    layout.ignore("*decoder.version");
    layout.addWords(sharedWords);
    addStackOf(settings, false, layout);
    addStackOf(settings, true, layout);
    switch (settings.head) {
        case HeadKind::CausalLanguageModel: layout.addLanguageHead(sharedWords, true); break;
        case HeadKind::SequenceClassification:
            layout.addHeadDense("pooler", "classification_head.dense", settings.hiddenSize);
            layout.addHeadDense("classifier", "classification_head.out_proj", settings.labels.size());
            break;
        case HeadKind::AnswerSpan: layout.addHeadDense("classifier", "qa_outputs", 2); break;
        default: break;
    }
    return std::move(layout).take();
}

}  // namespace fovea::model
