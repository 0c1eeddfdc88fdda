// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "core/session/piece_bytes.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// `trace` with the pieces of the vocabulary in place of the source text: each label shows its own piece and
/// shares no character. Its records are the same; outputs are left out. Cost O(positions).
std::shared_ptr<const Trace> tracedByPieces(const Trace& trace);

/// How labels that hold nothing but pieces write their text, told by the marks of a word's beginning or
/// going on: "##", "▁", "Ġ", a space; none where no piece has such a mark.
std::optional<PieceScript> pieceScriptOf(std::span<const TokenLabel> labels);

/// Gives labels that hold nothing but pieces, as recorded attention has them, the text that the pieces spell:
/// "##" goes on with a word, "▁", "Ġ" stand for a space, letters of bytes and "<0xE4>" for their bytes. Where
/// no piece has such a mark they stay as they are. Cost O(bytes).
void readPieces(std::span<TokenLabel> labels);

}  // namespace fovea::session
