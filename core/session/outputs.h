// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
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
    bool written = false;  ///< the token that the model chose here when it wrote
};

/// How a model's answer changes when a mechanism acts inside it.
struct OutputComparison {
    std::string title;        ///< "class probabilities", "next token after “bank”", ...
    std::string unit;         ///< "probability", "cosine", ...
    std::vector<OutputLine> lines;  ///< the largest of either side first; at most `limit`
    /// Jensen-Shannon between the two distributions, nats; its mean over the labels where each is a yes or
    /// no of its own; 0 where there are no distributions.
    double divergence = 0;
    bool compared = true;  ///< false: one run alone, where `after` repeats `before`
};

/// Compares the model's own run with a what-if run, of texts, pictures or both. A classifier:
/// probabilities of every class, by softmax, or label by label where several may hold. A causal model, or
/// the decoder of one of two stacks: the token after `query`, with the one that was written among them;
/// without a query the token after the last. A masked one: the token at `query`. Otherwise: relative change
/// and cosine of the last hidden state (or of the embedding of a picture), over all positions and at
/// `query`. A query is a position of what the outputs are of: outputQuery. `own` may be `changed`.
OutputComparison compareOutputs(const ModelInfo& model, const text::Tokenizer* tokenizer, const Trace& own,
                                const Trace& changed, std::optional<QueryIndex> query, std::size_t limit = 6);

/// The selection's query, where it is a position that the model's outputs are of: not one of an encoder
/// before a decoder.
std::optional<QueryIndex> outputQuery(const Trace& trace, SiteIndex site, QueryIndex query);

}  // namespace fovea::session
