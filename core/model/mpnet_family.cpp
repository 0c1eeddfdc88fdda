// SPDX-License-Identifier: GPL-3.0-or-later
// MPNet: a BERT without token types whose scores have a bias by distance, one for all layers.
#include <fmt/format.h>

#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"MPNetModel", HeadKind::None},
    {"MPNetForMaskedLM", HeadKind::MaskedLanguageModel},
    {"MPNetForSequenceClassification", HeadKind::SequenceClassification},
    {"MPNetForTokenClassification", HeadKind::TokenClassification},
    {"MPNetForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "mpnet.",
                             .layers = "encoder.layer.",
                             .layer = {.query = "attention.attn.q",
                                       .key = "attention.attn.k",
                                       .value = "attention.attn.v",
                                       .output = "attention.attn.o",
                                       .attentionNorm = "attention.LayerNorm",
                                       .up = "intermediate.dense",
                                       .down = "output.dense",
                                       .mlpNorm = "output.LayerNorm"},
                             .relativeBias = "encoder.relative_attention_bias",
                             .pooler = "pooler.dense",
                             .transform = "lm_head.dense",
                             .transformNorm = "lm_head.layer_norm",
                             .decoder = "lm_head.decoder",
                             .decoderBias = "lm_head.bias",
                             .summary = "classifier.dense",
                             .classifier = "classifier.out_proj"};

// However many rows the table has, the first 32 are looked up.
RelativeBiasSettings readBias(ConfigReader& config) {
    RelativeBiasSettings bias{.buckets = 32, .maxDistance = 128};
    bias.rows = config.size("relative_attention_num_buckets", bias.buckets);
    if (bias.rows < bias.buckets) {
        config.failWith("relative_attention_num_buckets",
                        fmt::format("a whole number of at least {}", bias.buckets), bias.rows);
    }
    return bias;
}

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config, {.vocabularySize = 30527, .maxPositions = 512, .tiedEmbeddings = true}, settings);
    setTextEncoder(config, settings);
    settings.transformActivation = Activation::GeluErf;
    settings.relativeBias = readBias(config);
    // Of all models of this kind, whatever `pad_token_id` says.
    constexpr std::int64_t padding = 1;
    countPositionsBehind(padding, config, settings);
}

TensorLayout makeLayout(const TransformerSettings& settings) { return encoderLayout(settings, names); }

}  // namespace

const ModelFamily mpnetFamily{"mpnet", architectures, readKeys, makeLayout};

}  // namespace fovea::model
