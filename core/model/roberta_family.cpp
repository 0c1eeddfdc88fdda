// SPDX-License-Identifier: GPL-3.0-or-later
// RoBERTa and those that took it to other languages: BERT's body, with positions that begin behind the
// row of padding, and other heads.
#include "core/model/encoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> robertaArchitectures[] = {
    {"RobertaModel", HeadKind::None},
    {"RobertaForMaskedLM", HeadKind::MaskedLanguageModel},
    {"RobertaForSequenceClassification", HeadKind::SequenceClassification},
    {"RobertaForTokenClassification", HeadKind::TokenClassification},
    {"RobertaForQuestionAnswering", HeadKind::AnswerSpan},
};
constexpr std::pair<std::string_view, HeadKind> xlmRobertaArchitectures[] = {
    {"XLMRobertaModel", HeadKind::None},
    {"XLMRobertaForMaskedLM", HeadKind::MaskedLanguageModel},
    {"XLMRobertaForSequenceClassification", HeadKind::SequenceClassification},
    {"XLMRobertaForTokenClassification", HeadKind::TokenClassification},
    {"XLMRobertaForQuestionAnswering", HeadKind::AnswerSpan},
};
constexpr std::pair<std::string_view, HeadKind> camembertArchitectures[] = {
    {"CamembertModel", HeadKind::None},
    {"CamembertForMaskedLM", HeadKind::MaskedLanguageModel},
    {"CamembertForSequenceClassification", HeadKind::SequenceClassification},
    {"CamembertForTokenClassification", HeadKind::TokenClassification},
    {"CamembertForQuestionAnswering", HeadKind::AnswerSpan},
};

constexpr EncoderNames names{.prefix = "roberta.",
                             .layers = "encoder.layer.",
                             .layer = bertLayerNames,
                             .pooler = "pooler.dense",
                             .transform = "lm_head.dense",
                             .transformNorm = "lm_head.layer_norm",
                             .decoder = "lm_head.decoder",
                             .decoderBias = "lm_head.bias",
                             .summary = "classifier.dense",
                             .classifier = "classifier.out_proj"};

void readAny(ConfigReader& config, std::size_t vocabulary, TransformerSettings& settings) {
    readCommonKeys(config, {.vocabularySize = vocabulary, .maxPositions = 512, .tiedEmbeddings = true},
                   settings);
    settings.typeVocabularySize = config.size("type_vocab_size", 2);
    setTextEncoder(config, settings);
    settings.transformActivation = Activation::GeluErf;
    const auto last = static_cast<std::int64_t>(settings.vocabularySize) - 1;
    countPositionsBehind(config.integer("pad_token_id", 1, 0, last), config, settings);
}

void readRoberta(ConfigReader& config, TransformerSettings& settings) { readAny(config, 50265, settings); }
void readOther(ConfigReader& config, TransformerSettings& settings) { readAny(config, 30522, settings); }

TensorLayout makeLayout(const TransformerSettings& settings) { return encoderLayout(settings, names); }

}  // namespace

const ModelFamily robertaFamily{"roberta", robertaArchitectures, readRoberta, makeLayout};
const ModelFamily xlmRobertaFamily{"xlm-roberta", xlmRobertaArchitectures, readOther, makeLayout};
const ModelFamily camembertFamily{"camembert", camembertArchitectures, readOther, makeLayout};

}  // namespace fovea::model
