// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>

#include "core/trace/trace.h"

namespace fovea::session {

/// `trace` with the pieces of the vocabulary in place of the source text: each label shows its own piece and
/// shares no character. Its records are the same; outputs are left out. Cost O(positions).
std::shared_ptr<const Trace> tracedByPieces(const Trace& trace);

/// Gives labels that hold nothing but pieces, as recorded attention has them, the text that the pieces spell:
/// "##" goes on with a word, "▁", "Ġ" stand for a space, letters of bytes and "<0xE4>" for their bytes. Where no
/// piece has such a mark they stay as they are. Cost O(bytes).
void readPieces(std::span<TokenLabel> labels);

}  // namespace fovea::session
