// SPDX-License-Identifier: GPL-3.0-or-later
// ALBERT: BERT with narrow embeddings, whose layers share their weights in groups, usually one.
#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"AlbertModel", HeadKind::None},
    {"AlbertForPreTraining", HeadKind::PreTraining},
    {"AlbertForMaskedLM", HeadKind::MaskedLanguageModel},
    {"AlbertForSequenceClassification", HeadKind::SequenceClassification},
    {"AlbertForTokenClassification", HeadKind::TokenClassification},
    {"AlbertForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "albert.",
                             .layers = "encoder.albert_layer_groups.",
                             .layer = {.query = "albert_layers.0.attention.query",
                                       .key = "albert_layers.0.attention.key",
                                       .value = "albert_layers.0.attention.value",
                                       .output = "albert_layers.0.attention.dense",
                                       .attentionNorm = "albert_layers.0.attention.LayerNorm",
                                       .up = "albert_layers.0.ffn",
                                       .down = "albert_layers.0.ffn_output",
                                       .mlpNorm = "albert_layers.0.full_layer_layer_norm"},
                             .projection = "encoder.embedding_hidden_mapping_in",
                             .pooler = "pooler",
                             .transform = "predictions.dense",
                             .transformNorm = "predictions.LayerNorm",
                             .decoder = "predictions.decoder",
                             .decoderBias = "predictions.bias",
                             .pairClassifier = "sop_classifier.classifier"};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config,
                   {.vocabularySize = 30000,
                    .hiddenSize = 4096,
                    .layers = 12,
                    .heads = 64,
                    .intermediateSize = 16384,
                    .maxPositions = 512,
                    .activation = "gelu_new",
                    .tiedEmbeddings = true},
                   settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    setTextEncoder(config, settings);
    settings.embeddingSize = config.size("embedding_size", 128);
    settings.distinctLayers = config.size("num_hidden_groups", 1, largestLayerCount);
    settings.layersByWeights =
        static_cast<double>(settings.layers) / static_cast<double>(settings.distinctLayers);
    settings.pairOutput = "sop_logits";
    const std::size_t repeated = config.size("inner_group_num", 1);
    if (repeated != 1) {
        config.failWith("inner_group_num", "1 (groups of several layers are not supported)", repeated,
                        ErrorKind::Unsupported);
    }
}

TensorLayout makeLayout(const TransformerSettings& settings) { return encoderLayout(settings, names); }

}  // namespace

const ModelFamily albertFamily{"albert", architectures, readKeys, makeLayout};

}  // namespace fovea::model
