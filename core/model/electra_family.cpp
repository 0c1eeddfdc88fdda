// SPDX-License-Identifier: GPL-3.0-or-later
// ELECTRA: BERT's body behind narrower embeddings; a discriminator that tells replaced tokens, or the
// generator that replaced them.
#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"ElectraModel", HeadKind::None},
    {"ElectraForPreTraining", HeadKind::ReplacedTokens},
    {"ElectraForMaskedLM", HeadKind::MaskedLanguageModel},
    {"ElectraForSequenceClassification", HeadKind::SequenceClassification},
    {"ElectraForTokenClassification", HeadKind::TokenClassification},
    {"ElectraForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "electra.",
                             .layers = "encoder.layer.",
                             .layer = bertLayerNames,
                             .projection = "embeddings_project",
                             .transform = "generator_predictions.dense",
                             .transformNorm = "generator_predictions.LayerNorm",
                             .decoder = "generator_lm_head",
                             .summary = "classifier.dense",
                             .classifier = "classifier.out_proj",
                             .replacedTransform = "discriminator_predictions.dense",
                             .replacedClassifier = "discriminator_predictions.dense_prediction"};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config,
                   {.vocabularySize = 30522,
                    .hiddenSize = 256,
                    .heads = 4,
                    .intermediateSize = 1024,
                    .maxPositions = 512,
                    .tiedEmbeddings = true},
                   settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    setTextEncoder(config, settings);
    const std::size_t embedding = config.size("embedding_size", 128);
    settings.embeddingSize = embedding == settings.hiddenSize ? 0 : embedding;
    settings.poolerActivation = Activation::GeluErf;
    if (settings.head == HeadKind::MaskedLanguageModel) settings.transformActivation = Activation::GeluErf;
}

TensorLayout makeLayout(const TransformerSettings& settings) { return encoderLayout(settings, names); }

}  // namespace

const ModelFamily electraFamily{"electra", architectures, readKeys, makeLayout};

}  // namespace fovea::model
