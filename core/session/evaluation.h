// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "core/session/mechanism_choice.h"
#include "core/session/picture_evaluation.h"
#include "core/support/result.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// How the rows of several queries become one.
enum class QueryPooling { Mean, Sum, Max };

/// Where one looks: a row of the attention of one head, or several rows made one. Of several, empty rows are
/// left out, and an invalid one makes the whole invalid. Queries are positions, of tokens, also where words
/// are shown: then a query stands for the word that it is a part of.
struct Selection {
    SiteIndex site;
    HeadIndex head;
    QueryIndex query;
    std::vector<QueryIndex> more = {};  ///< further queries, ascending, without `query`
    QueryPooling pooling = QueryPooling::Mean;
    /// Tokens of a word are one: weights summed over its keys and averaged over its queries, after the
    /// mechanism and before a density.
    bool words = false;

    bool operator==(const Selection&) const = default;
};

/// The four states of a weight, which look different wherever they are drawn.
enum class WeightState : std::uint8_t { Positive, ExactZero, Masked, NotANumber };

/// One point of a density over the text; x in tokens (token l covers [l, l + 1), from 0), value per token.
struct DensitySample {
    double x = 0;
    double value = 0;
};

/// Continuous attention over the text. All lengths in tokens, counted from the start of the first
/// token; padding keys are no part of the text and are not counted.
struct IntervalEvaluation {
    double mean = 0;
    double variance = 0;        ///< of the density
    double scale = 0;           ///< after the temperature, in tokens^2
    double peak = 0;            ///< per token
    bool bounded = false;       ///< true: `shown` is the support; false: the region of `shownMass`
    Interval shown;
    double shownMass = 1;       ///< 1 for a support, 0.9 for the Gaussian's region
    Interval half;              ///< the region of half the mass
    double massOutside = 0;     ///< beyond the text's two ends
    double shannonEntropy = 0;  ///< of the density, nats, tokens as unit
    std::vector<DensitySample> samples;  ///< ascending x over the text, support ends included
    std::vector<double> massOfToken;     ///< density's mass on [l, l + 1), l < unpadded tokens
};

/// One component of a mixture over a text.
struct WeightedInterval {
    double weight = 1;
    IntervalEvaluation interval;
};

/// One row under a mechanism. Sizes: keys. Where words are shown, keys and queries are groups of positions
/// (see WordGroups), also those of `selection`, and densities lie over words.
struct RowEvaluation {
    Selection selection;
    MechanismChoice mechanism;
    RowState state = RowState::Ok;
    std::vector<double> weights;  ///< discrete weights, or the base's
    std::vector<WeightState> states;
    /// Where one word is asked about: what its queries give each token, of which `weights` are the sums. One
    /// a position; empty else.
    std::vector<double> tokenWeights;
    std::size_t support = 0;
    std::size_t visibleKeys = 0;  ///< not masked for every query
    double entropy = 0;           ///< of the weights divided by their sum, nats
    double threshold = 0;         ///< t = (alpha - 1) A - 1; NaN where there is none, and for several queries
    double rowSum = 0;
    double residual = 0;          ///< rowSum - 1, of summed rows rowSum - rows; NaN for a maximum
    double divergence = 0;        ///< Jensen-Shannon to the model's own softmax, nats
    std::optional<KeyIndex> largest;
    /// Continuous or mixture domain over a text, row not empty. Of a mixture: mean, variance, masses and
    /// samples of the summed density, `shown` from the first to the last end of the components', `half`
    /// between its quartiles; no scale (NaN).
    std::optional<IntervalEvaluation> interval;
    std::vector<WeightedInterval> components;    ///< mixture over a text, heaviest first
    std::optional<PictureEvaluation> picture;    ///< where the positions hold a picture, row not empty
};

/// One head under a mechanism. (queries, keys) in C order; words as in RowEvaluation. Where a density is
/// shown, a cell holds its mass on that token, also where the base is masked: a density knows no mask but its
/// support; a masked key without mass stays Masked. Over a picture: the density's mass on that patch times
/// the base's mass on all patches; positions that are no patch keep the base's weight.
struct MatrixEvaluation {
    Selection selection;
    MechanismChoice mechanism;
    std::size_t queries = 0;
    std::size_t keys = 0;
    std::vector<float> weights;
    std::vector<WeightState> states;
    std::vector<RowState> rowStates;
    float largest = 0;  ///< among the positive weights
};

/// Evaluates one row of `trace`. `own` is the model's own run on the same input (the same trace
/// unless the mechanism acts inside); it gives the divergence. Pure. Errors: a selection out of range,
/// a parameter out of its domain, a variance of 0 where no floor was chosen, a grid that does not
/// match the keys.
Result<RowEvaluation> evaluateRow(const Trace& trace, const Trace& own, const Selection& selection,
                                  const MechanismChoice& mechanism);

/// Evaluates all rows of one head; ends with ErrorKind::Cancelled soon after `stop` is requested.
Result<MatrixEvaluation> evaluateMatrix(const Trace& trace, const Selection& selection,
                                        const MechanismChoice& mechanism, std::stop_token stop);

/// All weights of one recorded site under the mechanism that it ran with: (heads, queries, keys) in
/// C order, rows threaded with the caller's thread only.
std::vector<float> recordedWeights(const AttentionRecord& record);

}  // namespace fovea::session
