// SPDX-License-Identifier: GPL-3.0-or-later
// BART: an encoder and a decoder with learned positions and norms after the residual sums. mBART has its
// norms before the blocks, Pegasus as well, with sinusoidal positions.
#include "core/model/bart_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> bartArchitectures[] = {
    {"BartModel", HeadKind::None},
    {"BartForConditionalGeneration", HeadKind::CausalLanguageModel},
    {"BartForSequenceClassification", HeadKind::SequenceClassification},
    {"BartForQuestionAnswering", HeadKind::AnswerSpan},
};
constexpr std::pair<std::string_view, HeadKind> mbartArchitectures[] = {
    {"MBartModel", HeadKind::None},
    {"MBartForConditionalGeneration", HeadKind::CausalLanguageModel},
};
constexpr std::pair<std::string_view, HeadKind> pegasusArchitectures[] = {
    {"PegasusModel", HeadKind::None},
    {"PegasusForConditionalGeneration", HeadKind::CausalLanguageModel},
};

// Its table has two rows more than there are positions.
constexpr std::size_t learnedOffset = 2;

void readBart(ConfigReader& config, TransformerSettings& settings) {
    readBartKeys(config, {.vocabularySize = 50265, .start = 2, .end = 2}, settings);
    settings.positionOffset = learnedOffset;
    settings.embeddingNorm = true;
    settings.usualLabels = 3;
    // Without a sequence of its own the decoder reads the input again.
    settings.decoder->readsInput = settings.head != HeadKind::CausalLanguageModel;
}

void setNormsBefore(TransformerSettings& settings) {
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.finalNorm = true;
}

void readMbart(ConfigReader& config, TransformerSettings& settings) {
    readBartKeys(config, {.vocabularySize = 50265, .start = 0, .end = 2}, settings);
    settings.positionOffset = learnedOffset;
    settings.embeddingNorm = true;
    setNormsBefore(settings);
}

void readPegasus(ConfigReader& config, TransformerSettings& settings) {
    readBartKeys(config, {.vocabularySize = 50265, .start = 0, .end = 1}, settings);
    settings.positions = PositionKind::Sinusoidal;
    setNormsBefore(settings);
}

TensorLayout layout(const TransformerSettings& settings) { return bartLayout(settings); }

}  // namespace

const ModelFamily bartFamily{"bart", bartArchitectures, readBart, layout};
const ModelFamily mbartFamily{"mbart", mbartArchitectures, readMbart, layout};
const ModelFamily pegasusFamily{"pegasus", pegasusArchitectures, readPegasus, layout};

}  // namespace fovea::model
