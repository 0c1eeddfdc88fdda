// SPDX-License-Identifier: GPL-3.0-or-later
// Marian: BART with sinusoidal positions, without norms of embeddings; the languages of its two stacks may
// have a vocabulary each.
#include "core/model/bart_layout.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"MarianModel", HeadKind::None},
    {"MarianMTModel", HeadKind::CausalLanguageModel},
};

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readBartKeys(config, {.vocabularySize = 58101, .start = 58100, .end = 0}, settings);
    settings.positions = PositionKind::Sinusoidal;
    settings.decoder->sharesWords = config.flag("share_encoder_decoder_embeddings", true);
    const std::size_t vocabulary = config.size("decoder_vocab_size", settings.vocabularySize);
    if (!settings.decoder->sharesWords) settings.decoder->vocabularySize = vocabulary;
}

TensorLayout layout(const TransformerSettings& settings) {
    return bartLayout(settings, settings.decoder->sharesWords);
}

}  // namespace

const ModelFamily marianFamily{"marian", architectures, readKeys, layout};

}  // namespace fovea::model
