// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/trace/site.h"

namespace fovea::session {

/// What an array of a dump holds, as its name says.
struct DumpName {
    enum class Content { Scores, Weights, Queries, Keys };
    Content content = Content::Scores;
    bool oneStack = true;  ///< the name mentions no stack
    SiteKind stack = SiteKind::Encoder;
    std::optional<std::size_t> layer;
};

/// "attention.3", "encoder_attention.3", "cross_attention.0", "scores_3", "attention_layer3", "scores",
/// "queries.2"; nothing for other names, "attention_mask" among them.
std::optional<DumpName> dumpNameOf(std::string_view name);

}  // namespace fovea::session
