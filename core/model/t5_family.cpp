// SPDX-License-Identifier: GPL-3.0-or-later
// T5: an encoder and a decoder without biases, with root-mean-square norms before blocks, unscaled scores
// and a bias by distance in place of positions. Version 1.1 and mT5 gate their MLP and keep the output apart
// from the word embeddings.
#include <cmath>

#include <fmt/format.h>

#include "core/model/model_family.h"
#include "core/model/two_stack_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> t5Architectures[] = {
    {"T5Model", HeadKind::None},
    {"T5ForConditionalGeneration", HeadKind::CausalLanguageModel},
    {"T5WithLMHeadModel", HeadKind::CausalLanguageModel},
    {"T5EncoderModel", HeadKind::None},
    {"T5ForSequenceClassification", HeadKind::SequenceClassification},
    {"T5ForTokenClassification", HeadKind::TokenClassification},
    {"T5ForQuestionAnswering", HeadKind::AnswerSpan},
};
constexpr std::pair<std::string_view, HeadKind> mt5Architectures[] = {
    {"MT5Model", HeadKind::None},
    {"MT5ForConditionalGeneration", HeadKind::CausalLanguageModel},
    {"MT5EncoderModel", HeadKind::None},
    {"MT5ForSequenceClassification", HeadKind::SequenceClassification},
    {"MT5ForTokenClassification", HeadKind::TokenClassification},
    {"MT5ForQuestionAnswering", HeadKind::AnswerSpan},
};

bool encoderAlone(const TransformerSettings& settings) {
    return settings.head == HeadKind::TokenClassification ||
           settings.architecture.ends_with("EncoderModel");
}

// "relu", "gated-gelu": the activation, and whether it is a gate's.
void readFeedForward(ConfigReader& config, const char* usual, TransformerSettings& settings) {
    std::string name = config.text("feed_forward_proj", usual);
    constexpr std::string_view gate = "gated-";
    const bool gated = name.starts_with(gate);
    if (gated) name.erase(0, gate.size());
    if (gated && name == "gelu") name = "gelu_new";
    const char* key = config.has("dense_act_fn") ? "dense_act_fn" : "feed_forward_proj";
    settings.activation = activationNamed(config, key, config.text("dense_act_fn", name));
    settings.gatedMlp = config.flag("is_gated_act", gated);
}

void readDistances(ConfigReader& config, TransformerSettings& settings) {
    RelativeBiasSettings bias;
    bias.buckets = config.size("relative_attention_num_buckets", 32);
    bias.maxDistance = config.size("relative_attention_max_distance", 128);
    if (bias.buckets < 4) {
        config.failWith("relative_attention_num_buckets", "at least 4, for two directions of near and far",
                        bias.buckets);
    } else if (bias.maxDistance <= bias.buckets / 2) {
        config.failWith("relative_attention_max_distance",
                        fmt::format("more than half of relative_attention_num_buckets {}", bias.buckets),
                        bias.maxDistance);
    }
    settings.relativeBias = bias;
}

void readDecoder(ConfigReader& config, TransformerSettings& settings) {
    DecoderSettings decoder;
    decoder.layers = config.size("num_decoder_layers", settings.layers, largestLayerCount);
    decoder.heads = settings.heads;
    decoder.headWidth = settings.headWidth;
    decoder.intermediateSize = settings.intermediateSize;
    decoder.vocabularySize = settings.vocabularySize;
    decoder.readsInput =
        settings.head == HeadKind::SequenceClassification || settings.head == HeadKind::AnswerSpan;
    settings.decoder = decoder;
    settings.generation.start = 0;
    settings.generation.ends = {1};
}

void readStacks(ConfigReader& config, const CommonDefaults& defaults, const char* feedForward,
                TransformerSettings& settings) {
    config.spell("hidden_size", "d_model");
    config.spell("num_hidden_layers", "num_layers");
    config.spell("num_attention_heads", "num_heads");
    config.spell("intermediate_size", "d_ff");
    readCommonKeys(config, defaults, settings);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = config.size("d_kv", 64);
    settings.positions = PositionKind::None;
    settings.scoreScale = 1;
    settings.norm = NormKind::RootMeanSquare;
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.normEpsilon = config.positive("layer_norm_epsilon", 1e-6, true);
    settings.finalNorm = true;
    readFeedForward(config, feedForward, settings);
    readDistances(config, settings);
    if (!encoderAlone(settings)) readDecoder(config, settings);
}

CommonDefaults usualSizes(std::size_t vocabulary, std::size_t layers, std::size_t heads,
                          std::size_t intermediate) {
    return {.vocabularySize = vocabulary,
            .hiddenSize = 512,
            .layers = layers,
            .heads = heads,
            .intermediateSize = intermediate,
            .activation = "relu",
            .tiedEmbeddings = true,
            .headsDivideHidden = false};
}

void readT5(ConfigReader& config, TransformerSettings& settings) {
    readStacks(config, usualSizes(32128, 6, 8, 2048), "relu", settings);
    // Files from before this key say by their tying whether the first version's scale is there.
    if (settings.head == HeadKind::CausalLanguageModel &&
        config.flag("scale_decoder_outputs", settings.tiedEmbeddings)) {
        settings.headScale = 1 / std::sqrt(static_cast<double>(settings.hiddenSize));
    }
}

void readMt5(ConfigReader& config, TransformerSettings& settings) {
    readStacks(config, usualSizes(250112, 8, 6, 1024), "gated-gelu", settings);
}

StackNames stackNames(bool decoder) {
    StackNames names{.layers = "block.",
                     .attention = "layer.0.SelfAttention.",
                     .cross = "layer.1.EncDecAttention.",
                     .query = "q",
                     .key = "k",
                     .value = "v",
                     .output = "o",
                     .attentionNorm = "layer.0.layer_norm",
                     .crossNorm = "layer.1.layer_norm",
                     .gate = "layer.1.DenseReluDense.wi_0",
                     .up = "layer.1.DenseReluDense.wi",
                     .down = "layer.1.DenseReluDense.wo",
                     .mlpNorm = "layer.1.layer_norm",
                     .finalNorm = "final_layer_norm"};
    if (decoder) {
        names.gate = "layer.2.DenseReluDense.wi_0";
        names.up = "layer.2.DenseReluDense.wi";
        names.down = "layer.2.DenseReluDense.wo";
        names.mlpNorm = "layer.2.layer_norm";
    }
    return names;
}

void addStack(const TransformerSettings& settings, bool decoder, TwoStackLayout& layout) {
    const std::string stack = decoder ? "decoder." : "encoder.";
    StackNames names = stackNames(decoder);
    if (settings.gatedMlp)
        names.up = decoder ? "layer.2.DenseReluDense.wi_1" : "layer.1.DenseReluDense.wi_1";
    layout.addStack(decoder, names);
    const std::string table = stack + "block.0.layer.0.SelfAttention.relative_attention_bias.weight";
    layout.addBody(decoder ? "decoder.relative_bias.weight" : "relative_bias.weight", table,
                   {settings.relativeBias->buckets, settings.heads});
}

TensorLayout layout(const TransformerSettings& settings) {
    TwoStackLayout layout(settings, "transformer.");
    layout.ignore("*decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
    layout.addWords(true);
    addStack(settings, false, layout);
    if (settings.decoder) addStack(settings, true, layout);
    else layout.ignore("decoder.*");
    switch (settings.head) {
        case HeadKind::CausalLanguageModel: layout.addLanguageHead(true, false); break;
        case HeadKind::SequenceClassification:
            layout.addHeadDense("pooler", "classification_head.dense", settings.hiddenSize);
            layout.addHeadDense("classifier", "classification_head.out_proj", settings.labels.size());
            break;
        case HeadKind::TokenClassification:
            layout.addHeadDense("classifier", "classifier", settings.labels.size());
            break;
        case HeadKind::AnswerSpan: layout.addHeadDense("classifier", "qa_outputs", 2); break;
        default: break;
    }
    return std::move(layout).take();
}

}  // namespace

const ModelFamily t5Family{"t5", t5Architectures, readT5, layout};
const ModelFamily mt5Family{"mt5", mt5Architectures, readMt5, layout};

}  // namespace fovea::model
