// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/support/result.h"
#include "core/support/strong_index.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// The position that `query` names: an index, or the text or piece of a token, the first that matches.
/// A number that is no position may still be a token's text. Errors: neither.
Result<QueryIndex> findQuery(std::span<const TokenLabel> tokens, const std::string& query);

/// The same among the positions of a run, where "row,column" also names a patch.
Result<QueryIndex> findQuery(const Trace& trace, const std::string& query);

/// Where a figure looks unless told: the last token of a causal model, else the first that is not
/// special; of a picture alone the patch in its middle.
QueryIndex defaultQuery(const Trace& trace);

}  // namespace fovea::session
