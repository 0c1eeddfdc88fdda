// SPDX-License-Identifier: GPL-3.0-or-later
// GPT-NeoX: a causal decoder whose heads keep queries, keys and values side by side in one dense layer, whose
// positions turn a part of each head, and whose attention and MLP read the same states unless told otherwise.
#include "core/model/decoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"GPTNeoXModel", HeadKind::None},
    {"GPTNeoXForCausalLM", HeadKind::CausalLanguageModel},
    {"GPTNeoXForSequenceClassification", HeadKind::SequenceClassification},
    {"GPTNeoXForTokenClassification", HeadKind::TokenClassification},
};

const DecoderNames names{.prefix = "gpt_neox.",
                         .word = "embed_in",
                         .layers = "layers.",
                         .fused = "attention.query_key_value",
                         .output = "attention.dense",
                         .up = "mlp.dense_h_to_4h",
                         .down = "mlp.dense_4h_to_h",
                         .attentionNorm = "input_layernorm",
                         .mlpNorm = "post_attention_layernorm",
                         .finalNorm = "final_layer_norm",
                         .head = "embed_out",
                         .tokenClassifier = "classifier",
                         // Tables of the causal mask and of frequencies.
                         .ignored = {"*.attention.bias", "*.attention.masked_bias", "*rotary_emb.inv_freq"}};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    config.spell("rope_theta", "rotary_emb_base");
    config.spell("partial_rotary_factor", "rotary_pct");
    readCommonKeys(config,
                   {.vocabularySize = 50432,
                    .hiddenSize = 6144,
                    .layers = 44,
                    .heads = 64,
                    .intermediateSize = 24576,
                    .maxPositions = 2048,
                    .activation = "gelu",
                    .tiedEmbeddings = false},
                   settings);
    setDecoder(config, settings);
    settings.keyValueHeads = settings.heads;
    settings.headWidth = settings.hiddenSize / settings.heads;
    setRotary(config, settings, RotaryShare::Part);
    settings.normEpsilon = config.positive("layer_norm_eps", 1e-5, true);
    settings.parallelBlocks = config.flag("use_parallel_residual", true);
    settings.fusedProjection = FusedProjection::ByHead;
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", true);
    settings.mlpBias = true;
    settings.generation.ends = {2};
}

}  // namespace

const ModelFamily gptNeoxFamily{
    "gpt_neox", architectures, readKeys,
    [](const TransformerSettings& settings) { return decoderLayout(settings, names); }};

}  // namespace fovea::model
