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
/// Sinusoidal: sines in the first half of the units, cosines in the second. None: no positions, or those
/// that a relative bias tells.
enum class PositionKind { LearnedTable, Sinusoidal, Rotary, None };
/// How one weight holds queries, keys and values: one below the other, or so for each head.
enum class FusedProjection { None, Thirds, ByHead };
/// What sits on top of the body.
enum class HeadKind {
    None,
    MaskedLanguageModel,
    CausalLanguageModel,
    PreTraining,          ///< a masked language model, and yes or no of the pooled first position
    ReplacedTokens,       ///< of every position whether it was replaced
    TokenClassification,  ///< of every position
    AnswerSpan,           ///< of every position whether an answer starts and ends there
    SentenceEmbedding,    ///< of the body, with pooled states beside; see EmbeddingSettings
    SequenceClassification,              ///< of the pooled first position
    ClassTokenClassification,            ///< of the class token
    ClassAndDistillationClassification,  ///< of the class and the distillation token, averaged
    ClassAndPatchesClassification,       ///< of the class token beside the mean of the patches
    QuestionAnswering,                   ///< of the pooled first position, through a hidden layer
    Projection                           ///< the pooled first position in another space
};
/// Whether the head has labels.
constexpr bool isClassifier(HeadKind head) {
    return head == HeadKind::TokenClassification ||
           (head >= HeadKind::SequenceClassification && head <= HeadKind::QuestionAnswering);
}

/// How the first position becomes the pooled output: through a dense layer, which a file may lack; as
/// it is; or through a norm. Or the last token that is no padding, as it is.
enum class PoolKind { DenseOfFirst, First, NormOfFirst, LastToken };

/// How the frequencies of rotary positions are stretched for long inputs.
enum class RotaryScaling { None, Linear, Dynamic, Llama3, Yarn };

struct RotarySettings {
    double theta = 10000;
    std::size_t width = 0;  ///< units of a head that turn, the first ones; 0: all
    RotaryScaling scaling = RotaryScaling::None;
    double factor = 1;
    double lowFrequencyFactor = 1;   ///< Llama3 only
    double highFrequencyFactor = 4;  ///< Llama3 only
    double originalPositions = 0;    ///< Dynamic, Llama3, Yarn: what the model was first trained with
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

/// A bias of scores by head and distance: exact for short distances, in growing buckets up to the largest.
struct RelativeBiasSettings {
    std::size_t buckets = 32;
    std::size_t maxDistance = 128;
    std::size_t rows = 0;  ///< of its table, where they are more than the buckets

    std::size_t tableRows() const { return rows > 0 ? rows : buckets; }
};

/// The second stack of a model that reads one sequence and writes another: causal, with attention to what
/// the first made of its input. What is not here is as in the first.
struct DecoderSettings {
    std::size_t layers = 0;
    std::size_t heads = 0;
    std::size_t headWidth = 0;
    std::size_t intermediateSize = 0;
    std::size_t vocabularySize = 0;
    bool sharesWords = true;  ///< its words are the encoder's
    /// Reads the encoder's input again, behind its start token, unless it is given a sequence of its own.
    bool readsInput = false;
};

/// What ends and begins generated texts.
struct GenerationTokens {
    std::int64_t start = 0;                     ///< of a decoder's own sequence
    std::vector<std::int64_t> ends = {};        ///< any of them ends the text
    std::vector<std::int64_t> never = {};       ///< are not chosen
    std::optional<std::int64_t> forcedFirst = {};  ///< chosen right after the start token
    std::optional<std::int64_t> forcedLast = {};   ///< chosen when the length is reached
};

/// How the states of a text become one vector.
/// MeanByRoot: the sum over the square root of their number. WeightedMean: by their numbers from 1.
enum class EmbeddingPooling { Mean, MeanByRoot, WeightedMean, First, Max, Last };
/// A dense layer behind the pooling, with weights in a folder of its own.
struct EmbeddingLayer {
    std::string folder;
    std::size_t inputs = 0;
    std::size_t outputs = 0;
    bool bias = true;
    std::optional<Activation> activation = {};
};
struct EmbeddingSettings {
    EmbeddingPooling pooling = EmbeddingPooling::Mean;
    std::vector<EmbeddingLayer> layers = {};
    bool unitLength = false;
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
    /// Width of the word embeddings where a weight brings them to the hidden size; 0: they have it.
    std::size_t embeddingSize = 0;
    /// Longest text; 0: no limit. The table of positions has `positionOffset` rows more.
    std::size_t maxPositions = 0;
    std::size_t typeVocabularySize = 0;  ///< 0: no token types

    SiteKind siteKind = SiteKind::Encoder;
    MaskKind maskKind = MaskKind::Full;
    std::optional<DecoderSettings> decoder;
    /// How many distinct layers there are weights for, run in groups one after the other; 0: all.
    std::size_t distinctLayers = 0;
    double layersByWeights = 1;  ///< how many layers run with the weights of one
    std::vector<std::size_t> windows;  ///< of causal masks, by layer, 0: none; empty: none at all
    PositionKind positions = PositionKind::LearnedTable;
    std::size_t positionOffset = 0;  ///< row of the table that the first position takes
    /// Positions count only the tokens that are not this one, which takes the row before the first.
    std::optional<std::int64_t> positionsSkip;
    RotarySettings rotary;
    std::optional<RelativeBiasSettings> relativeBias;
    std::optional<PictureSettings> picture;  ///< of a model that reads pictures

    Activation activation = Activation::GeluErf;
    bool gatedMlp = false;   ///< down(activation(gate(x)) * up(x)) instead of down(activation(up(x)))
    bool fusedGate = false;  ///< gate and up are the halves of one weight
    NormKind norm = NormKind::LayerNorm;
    NormPlacement normPlacement = NormPlacement::AfterResidual;
    double normEpsilon = 1e-12;
    bool embeddingNorm = false;
    double embeddingScale = 1;  ///< of words, before positions
    bool finalNorm = false;
    bool parallelBlocks = false;  ///< attention and MLP read the same states, each behind its norm
    bool layerScale = false;  ///< what a block adds is scaled, unit by unit

    FusedProjection fusedProjection = FusedProjection::None;
    double scoreScale = 0;             ///< multiplies q.k; 0: 1/sqrt(headWidth)
    bool scoreScaleByLayer = false;    ///< divided by the layer's number, from 1
    bool queryKeyValueBias = false;
    bool queryKeyNorm = false;  ///< queries and keys of each head are normed before their rotation
    bool attentionOutputBias = false;
    bool mlpBias = false;

    HeadKind head = HeadKind::None;
    PoolKind pool = PoolKind::DenseOfFirst;
    std::optional<std::int64_t> paddingId;  ///< that PoolKind::LastToken passes over
    std::size_t pooledSize = 0;  ///< width of the pooled output
    Activation poolerActivation = Activation::Tanh;
    Activation transformActivation = Activation::GeluErf;  ///< of "transform" in a head
    const char* pairOutput = "seq_relationship_logits";  ///< of HeadKind::PreTraining
    double headScale = 1;  ///< of states, before a language model's head
    std::size_t projectionSize = 0;   ///< of HeadKind::Projection
    bool tiedEmbeddings = false;      ///< a language model's head shares the word embeddings
    std::vector<std::string> labels;  ///< of a classifier, by index
    std::size_t usualLabels = 2;      ///< where a file does not say
    bool multiLabel = false;          ///< each label is a yes or no of its own
    std::optional<EmbeddingSettings> embedding;  ///< of HeadKind::SentenceEmbedding
    GenerationTokens generation;

    /// Which of the distinct layers' weights layer `index` runs with.
    std::size_t weightsOfLayer(std::size_t index) const {
        if (distinctLayers == 0) return index;
        // Rounded as the library that trained such models does, where a group is no whole number of layers.
        return static_cast<std::size_t>(static_cast<double>(index) / layersByWeights);
    }
    /// The classifier of two stacks reads the state where the input has this token for the last time.
    std::optional<std::int64_t> summaryToken() const {
        const bool summed = decoder && head == HeadKind::SequenceClassification && !generation.ends.empty();
        return summed ? std::optional(generation.ends.front()) : std::nullopt;
    }
    /// Width of word embeddings.
    std::size_t wordWidth() const { return embeddingSize > 0 ? embeddingSize : hiddenSize; }
};

}  // namespace fovea::model
