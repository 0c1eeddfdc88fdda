// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPolygonF>
#include <vector>

#include "core/session/evaluation.h"
#include "widgets/painters/ink.h"
#include "widgets/painters/token_flow.h"

namespace fovea::widgets {

/// How a piece of a bracket ends.
enum class BracketEnd {
    Tick,       ///< the interval ends here
    Continued,  ///< it goes on over the line break, or where the direction changes
    Outside,    ///< it goes on beyond the text: an arrow
};

/// The part of an interval on one run of a line.
struct BracketPiece {
    std::size_t line = 0;
    double start = 0;  ///< x of the smaller position; right of `end` where words read from right to left
    double end = 0;
    BracketEnd startKind = BracketEnd::Tick;
    BracketEnd endKind = BracketEnd::Tick;
    bool fromRight = false;
};

/// `interval`, in tokens, cut into runs. Where it lies beyond the text altogether: one piece of no
/// length at that end of the text, with an arrow. Empty when it is not a number.
std::vector<BracketPiece> bracketPieces(const TokenFlow& flow, Interval interval);

/// The density over one run: points from its start to its end, with one at every sample and every border of a
/// cell; heights relative to `top` (the largest of all samples). Empty when a sample is not finite.
QPolygonF densityCurve(const TokenFlow& flow, const FlowRun& run,
                       const std::vector<session::DensitySample>& samples, double top);

/// The curves of one line, filled, above its tokens.
void drawDensity(const Ink& ink, const TokenFlow& flow, std::size_t line,
                 const session::IntervalEvaluation& interval);

/// The brackets of one line below its tokens, solid for a support and dashed for a region, and the mean.
void drawBracket(const Ink& ink, const TokenFlow& flow, std::size_t line,
                 const session::IntervalEvaluation& interval);

}  // namespace fovea::widgets
