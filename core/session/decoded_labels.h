// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Private to core/session: what the reader sees of ids that came without a text.

#include <cstdint>
#include <span>
#include <vector>

#include "core/text/tokenizer.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// One label an id, by what each adds to the text that they decode to. A character whose bytes several write
/// stands in the first of them once the last is there; bytes that make no character show U+FFFD; an id that
/// the vocabulary lacks shows its number. Cost O(ids) decodings of a few ids each.
std::vector<TokenLabel> labelsOfDecoded(const text::Tokenizer& tokenizer, std::span<const std::int64_t> ids);

}  // namespace fovea::session
