// SPDX-License-Identifier: GPL-3.0-or-later
// BERT: an encoder with learned positions, token types and norms after the residual sums.
#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::string_view nextSentence = "BertForNextSentencePrediction";

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"BertModel", HeadKind::None},
    {"BertForPreTraining", HeadKind::PreTraining},
    {"BertForMaskedLM", HeadKind::MaskedLanguageModel},
    {nextSentence, HeadKind::SequenceClassification},
    {"BertForSequenceClassification", HeadKind::SequenceClassification},
    {"BertForTokenClassification", HeadKind::TokenClassification},
    {"BertForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "bert.",
                             .layers = "encoder.layer.",
                             .layer = bertLayerNames,
                             .pooler = "pooler.dense",
                             .transform = "cls.predictions.transform.dense",
                             .transformNorm = "cls.predictions.transform.LayerNorm",
                             .decoder = "cls.predictions.decoder",
                             .decoderBias = "cls.predictions.bias",
                             .pairClassifier = "cls.seq_relationship"};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config, {.vocabularySize = 30522, .maxPositions = 512, .tiedEmbeddings = true}, settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    setTextEncoder(config, settings);
    if (settings.architecture == nextSentence) settings.labels = {"next sentence", "another sentence"};
}

TensorLayout makeLayout(const TransformerSettings& settings) {
    EncoderNames called = names;
    if (settings.architecture == nextSentence) called.classifier = names.pairClassifier;
    return encoderLayout(settings, called);
}

}  // namespace

const ModelFamily bertFamily{"bert", architectures, readKeys, makeLayout};

}  // namespace fovea::model
