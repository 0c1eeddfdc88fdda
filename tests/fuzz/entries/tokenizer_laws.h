// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/text/tokenizer.h"

namespace fovea::fuzz {

/// What holds of every tokenizer: tokens lie in their text, ids have pieces, what is decoded is UTF-8, and
/// the same text gives the same ids. Tried with `one`, with both (unless `pair` is empty), and with a text
/// that has something for every step.
void checkTexts(const text::Tokenizer& tokenizer, const std::string& one, const std::string& pair);

}  // namespace fovea::fuzz
