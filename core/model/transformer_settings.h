// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/trace/score_source.h"
#include "core/trace/site.h"

namespace fovea::model {

enum class Activation { GeluErf, GeluTanh, Relu, Silu, Tanh };
enum class NormKind { LayerNorm, RootMeanSquare };
/// Where a block's norm stands: over the sum with the residual, or before the block.
enum class NormPlacement { AfterResidual, BeforeBlock };
enum class PositionKind { LearnedTable, Rotary };
/// What sits on top of the body.
enum class HeadKind { None, MaskedLanguageModel, SequenceClassification, CausalLanguageModel };

/// How the frequencies of rotary positions are stretched for long inputs.
enum class RotaryScaling { None, Linear, Llama3 };

struct RotarySettings {
    double theta = 10000;
    RotaryScaling scaling = RotaryScaling::None;
    double factor = 1;
    double lowFrequencyFactor = 1;   ///< Llama3 only
    double highFrequencyFactor = 4;  ///< Llama3 only
    double originalPositions = 0;    ///< Llama3 only
};

/// One configurable transformer: every family is a choice of these. Sizes were checked: all positive
/// (typeVocabularySize may be 0), heads * headWidth and the like do not overflow, keyValueHeads
/// divides heads.
struct TransformerSettings {
    std::string modelType;
    std::string architecture;

    std::size_t layers = 0;
    std::size_t heads = 0;
    std::size_t keyValueHeads = 0;
    std::size_t headWidth = 0;
    std::size_t hiddenSize = 0;
    std::size_t intermediateSize = 0;
    std::size_t vocabularySize = 0;
    std::size_t maxPositions = 0;
    std::size_t typeVocabularySize = 0;  ///< 0: no token types

    SiteKind siteKind = SiteKind::Encoder;
    MaskKind maskKind = MaskKind::Full;
    PositionKind positions = PositionKind::LearnedTable;
    RotarySettings rotary;

    Activation activation = Activation::GeluErf;
    bool gatedMlp = false;  ///< down(activation(gate(x)) * up(x)) instead of down(activation(up(x)))
    NormKind norm = NormKind::LayerNorm;
    NormPlacement normPlacement = NormPlacement::AfterResidual;
    double normEpsilon = 1e-12;
    bool embeddingNorm = false;
    bool finalNorm = false;

    bool queryKeyValueBias = false;
    bool attentionOutputBias = false;
    bool mlpBias = false;

    HeadKind head = HeadKind::None;
    bool tiedEmbeddings = false;      ///< a language model's head shares the word embeddings
    std::vector<std::string> labels;  ///< of a classifier, by index
};

}  // namespace fovea::model
