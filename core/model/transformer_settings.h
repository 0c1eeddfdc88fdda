// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/score_source.h"
#include "core/trace/site.h"

namespace fovea::model {

/// QuickGelu: x sigmoid(1.702 x).
enum class Activation { GeluErf, GeluTanh, QuickGelu, Relu, Silu, Tanh };
enum class NormKind { LayerNorm, RootMeanSquare };
/// Where a block's norm stands: over the sum with the residual, or before the block.
enum class NormPlacement { AfterResidual, BeforeBlock };
enum class PositionKind { LearnedTable, Rotary };
/// What sits on top of the body.
enum class HeadKind {
    None,
    MaskedLanguageModel,
    CausalLanguageModel,
    SequenceClassification,              ///< of the pooled first position
    ClassTokenClassification,            ///< of the class token
    ClassAndDistillationClassification,  ///< of the class and the distillation token, averaged
    ClassAndPatchesClassification,       ///< of the class token beside the mean of the patches
    QuestionAnswering,                   ///< of the pooled first position, through a hidden layer
    Projection                           ///< the pooled first position in another space
};
constexpr bool isClassifier(HeadKind head) {
    return head >= HeadKind::SequenceClassification && head <= HeadKind::QuestionAnswering;
}

/// How the first position becomes the pooled output: through a dense layer, which a file may lack; as
/// it is; or through a norm.
enum class PoolKind { DenseOfFirst, First, NormOfFirst };

/// How the frequencies of rotary positions are stretched for long inputs.
enum class RotaryScaling { None, Linear, Llama3, Yarn };

struct RotarySettings {
    double theta = 10000;
    RotaryScaling scaling = RotaryScaling::None;
    double factor = 1;
    double lowFrequencyFactor = 1;   ///< Llama3 only
    double highFrequencyFactor = 4;  ///< Llama3 only
    double originalPositions = 0;    ///< Llama3 and Yarn: what the model was first trained with
    double fastTurns = 32;           ///< Yarn: waves that turn more often in those stay as they are
    double slowTurns = 1;            ///< Yarn: waves that turn less often are stretched by the whole factor
    bool wholeBorders = true;        ///< Yarn: the borders between them are whole numbers
    double attentionFactor = 1;      ///< Yarn: of cosines and sines
};

/// How the table of positions, made for one grid of patches, serves another: bicubic between centres,
/// the same with a filter where it shrinks, or linear with corners on corners.
enum class TableResize { Bicubic, BicubicAntialias, BilinearCorners };

/// What a model that reads pictures makes of one: a position for every square patch, row by row, behind
/// learned prefix positions.
struct PictureSettings {
    std::size_t patchSize = 0;  ///< side, pixels
    std::size_t rows = 0;       ///< of the grid that the table of positions was made for
    std::size_t columns = 0;
    TableResize resize = TableResize::Bicubic;
    bool distillationToken = false;         ///< after the class token
    std::size_t registers = 0;              ///< after these; no entry in the table
    std::vector<std::string> prefixTokens = {};  ///< names of all three, in order
    bool patchBias = true;
    bool norm = false;           ///< over prefix and patches, before the first layer
    bool maskToken = false;      ///< the files hold a token for masked patches, which no run needs
    std::size_t modalities = 0;  ///< of the table that tells text (0) from picture (1); 0: no such table

    std::size_t tablePrefix() const { return distillationToken ? 2 : 1; }
    std::size_t tableLength() const { return tablePrefix() + rows * columns; }
};

/// One configurable transformer: every family is a choice of these. Sizes were checked: all positive
/// (vocabularySize, maxPositions and typeVocabularySize are 0 where there is none), heads * headWidth
/// and the like do not overflow, keyValueHeads divides heads.
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
    std::optional<PictureSettings> picture;  ///< of a model that reads pictures

    Activation activation = Activation::GeluErf;
    bool gatedMlp = false;   ///< down(activation(gate(x)) * up(x)) instead of down(activation(up(x)))
    bool fusedGate = false;  ///< gate and up are the halves of one weight
    NormKind norm = NormKind::LayerNorm;
    NormPlacement normPlacement = NormPlacement::AfterResidual;
    double normEpsilon = 1e-12;
    bool embeddingNorm = false;
    bool finalNorm = false;
    bool layerScale = false;  ///< what a block adds is scaled, unit by unit

    bool queryKeyValueBias = false;
    bool queryKeyNorm = false;  ///< queries and keys of each head are normed before their rotation
    bool attentionOutputBias = false;
    bool mlpBias = false;

    HeadKind head = HeadKind::None;
    PoolKind pool = PoolKind::DenseOfFirst;
    std::size_t pooledSize = 0;  ///< width of the pooled output
    Activation poolerActivation = Activation::Tanh;
    std::size_t projectionSize = 0;   ///< of HeadKind::Projection
    bool tiedEmbeddings = false;      ///< a language model's head shares the word embeddings
    std::vector<std::string> labels;  ///< of a classifier, by index
    bool multiLabel = false;          ///< each label is a yes or no of its own
};

}  // namespace fovea::model
