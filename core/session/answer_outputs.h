// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/outputs.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// Whether a run gave logits of where an answer starts and ends: outputs "start_logits" and "end_logits",
/// (positions) each.
bool givesAnswers(const Trace& trace);

/// The most probable answer of either run, as the probability that it starts where it starts, times that
/// it ends where it ends, and both of them apart. An answer lies in the second text of a pair, or in the
/// only text, and has at most 30 tokens; the first position stands for no answer where it is an added
/// token. Probabilities are over positions that are no padding. Precondition: both runs give answers.
OutputComparison compareAnswers(const Trace& own, const Trace& changed, std::size_t limit);

}  // namespace fovea::session
