// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/trace/trace.h"

namespace fovea::session {

/// What one token is called where its neighbours are not beside it: its source text; of one that only goes on
/// with a character that character and its place in it, "日 (2 of 3)"; of bytes that make no character these,
/// "<E6 97>"; "␣" for the mark of a word's beginning that the source does not have; its piece where nothing
/// else is known.
std::string nameOfToken(const TokenLabel& label);

}  // namespace fovea::session
