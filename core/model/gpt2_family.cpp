// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-2: a causal decoder with a table of positions and one dense layer for queries, keys and values. Its
// files keep dense layers as (columns, rows).
#include <fmt/format.h>

#include "core/model/decoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"GPT2Model", HeadKind::None},
    {"GPT2LMHeadModel", HeadKind::CausalLanguageModel},
    {"GPT2ForSequenceClassification", HeadKind::SequenceClassification},
    {"GPT2ForTokenClassification", HeadKind::TokenClassification},
};

const DecoderNames names{.prefix = "transformer.",
                         .word = "wte",
                         .position = "wpe",
                         .layers = "h.",
                         .fused = "attn.c_attn",
                         .output = "attn.c_proj",
                         .up = "mlp.c_fc",
                         .down = "mlp.c_proj",
                         .attentionNorm = "ln_1",
                         .mlpNorm = "ln_2",
                         .finalNorm = "ln_f",
                         .head = "lm_head",
                         .tokenClassifier = "classifier",
                         .transposed = true,
                         // Tables of the causal mask.
                         .ignored = {"*.attn.bias", "*.attn.masked_bias"}};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    for (const auto& [key, own] : {std::pair{"hidden_size", "n_embd"},
                                   {"num_hidden_layers", "n_layer"},
                                   {"num_attention_heads", "n_head"},
                                   {"max_position_embeddings", "n_positions"},
                                   {"hidden_act", "activation_function"}}) {
        config.spell(key, own);
    }
    readCommonKeys(config,
                   {.vocabularySize = 50257,
                    .hiddenSize = 768,
                    .layers = 12,
                    .heads = 12,
                    .intermediateSize = 0,
                    .maxPositions = 1024,
                    .activation = "gelu_new",
                    .tiedEmbeddings = true},
                   settings);
    setDecoder(config, settings);
    settings.intermediateSize = config.size("n_inner", 4 * settings.hiddenSize);
    settings.normEpsilon = config.positive("layer_norm_epsilon", 1e-5, true);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = settings.hiddenSize / settings.heads;
    settings.fusedProjection = FusedProjection::Thirds;
    if (!config.flag("scale_attn_weights", true)) settings.scoreScale = 1;
    settings.scoreScaleByLayer = config.flag("scale_attn_by_inverse_layer_idx", false);
    settings.queryKeyValueBias = settings.attentionOutputBias = settings.mlpBias = true;
    settings.generation.ends = {50256};
    if (config.flag("add_cross_attention", false)) {
        config.failWith("add_cross_attention", "false (GPT-2 beside an encoder is not supported)", true,
                        ErrorKind::Unsupported);
    }
}

}  // namespace

const ModelFamily gpt2Family{
    "gpt2", architectures, readKeys,
    [](const TransformerSettings& settings) { return decoderLayout(settings, names); }};

}  // namespace fovea::model
