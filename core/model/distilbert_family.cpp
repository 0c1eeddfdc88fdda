// SPDX-License-Identifier: GPL-3.0-or-later
// DistilBERT: BERT of half the layers, without token types and pooler, under names of its own.
#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"DistilBertModel", HeadKind::None},
    {"DistilBertForMaskedLM", HeadKind::MaskedLanguageModel},
    {"DistilBertForSequenceClassification", HeadKind::SequenceClassification},
    {"DistilBertForTokenClassification", HeadKind::TokenClassification},
    {"DistilBertForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "distilbert.",
                             .layers = "transformer.layer.",
                             .layer = {.query = "attention.q_lin",
                                       .key = "attention.k_lin",
                                       .value = "attention.v_lin",
                                       .output = "attention.out_lin",
                                       .attentionNorm = "sa_layer_norm",
                                       .up = "ffn.lin1",
                                       .down = "ffn.lin2",
                                       .mlpNorm = "output_layer_norm"},
                             .transform = "vocab_transform",
                             .transformNorm = "vocab_layer_norm",
                             .decoder = "vocab_projector",
                             .summary = "pre_classifier"};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    for (const auto& [key, own] : {std::pair{"hidden_size", "dim"},
                                   {"num_hidden_layers", "n_layers"},
                                   {"num_attention_heads", "n_heads"},
                                   {"intermediate_size", "hidden_dim"},
                                   {"hidden_act", "activation"}}) {
        config.spell(key, own);
    }
    readCommonKeys(config,
                   {.vocabularySize = 30522, .layers = 6, .maxPositions = 512, .tiedEmbeddings = true},
                   settings);
    setTextEncoder(config, settings);
    // Written into the code of its training, not into its configurations.
    settings.normEpsilon = 1e-12;
    settings.poolerActivation = Activation::Relu;
}

TensorLayout makeLayout(const TransformerSettings& settings) { return encoderLayout(settings, names); }

}  // namespace

const ModelFamily distilbertFamily{"distilbert", architectures, readKeys, makeLayout};

}  // namespace fovea::model
