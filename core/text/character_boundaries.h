// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>
#include <vector>

namespace fovea::text {

/// For every code point of `text` whether what readers take for one character begins there: Unicode's
/// extended grapheme clusters [UAX 29], but that every white space is a character of its own (a line break of
/// two code points is two). The first code point always begins one. Unpaired surrogates and what lies beyond
/// U+10FFFF count as U+FFFD. Without ICU's data every code point is a character. Cost O(code points).
std::vector<bool> characterBeginnings(std::u32string_view text);

}  // namespace fovea::text
