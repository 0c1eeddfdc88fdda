// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/support/strong_index.h"

namespace fovea {

/// The stack that an attention site belongs to.
enum class SiteKind { Encoder, Decoder, Cross };

/// "encoder", "decoder", "cross".
std::string_view siteKindName(SiteKind kind);

/// One place in a model where attention weights are formed.
struct Site {
    std::string name;  ///< "layer.0" in folders with one stack
    SiteKind kind = SiteKind::Encoder;
    LayerIndex layer;
    std::size_t heads = 0;
    std::size_t keyValueHeads = 0;
};

}  // namespace fovea
