// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// One line of "outputs before and after".
struct OutputLine {
    std::string label;  ///< class, next token, or what changed
    double before = 0;
    double after = 0;
};

/// How a model's answer changes when a mechanism acts inside it.
struct OutputComparison {
    std::string title;        ///< "class probabilities", "next token after “bank”", ...
    std::string unit;         ///< "probability", "cosine", ...
    std::vector<OutputLine> lines;  ///< the largest of either side first; at most `limit`
    double divergence = 0;    ///< Jensen-Shannon between the two distributions, nats; 0 where there is none
};

/// Compares the model's own run with a what-if run. A classifier: probabilities of every class. A
/// causal model: the next token. A masked one: the token at `query`. Otherwise: relative change and
/// cosine of the last hidden state, over all positions and at `query`.
OutputComparison compareOutputs(const ModelInfo& model, const text::Tokenizer* tokenizer, const Trace& own,
                                const Trace& changed, QueryIndex query, std::size_t limit = 6);

}  // namespace fovea::session
