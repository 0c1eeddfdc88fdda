// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace fovea::text {

// Character classes as the reference tokenizers see them. Some of their tables stand still at an
// early version of Unicode: characters that came later count as unassigned there, also where they
// would be punctuation or marks today. Source: the tables of the crates unicode_categories (8.0) and
// unicode-normalization-alignments (9.0), compared over all code points.

/// White_Space of Unicode.
bool isWhiteSpace(char32_t character);
/// General category N*.
bool isNumeric(char32_t character);
/// `\w` of a Unicode regular expression: alphabetic, marks, decimal digits, connectors, joiners.
bool isWordCharacter(char32_t character);

/// ASCII punctuation and symbols, or category P* of Unicode 8.
bool isPunctuation8(char32_t character);
/// Category Cc, Cf or Co of Unicode 8, but not tabulator, line feed and carriage return.
bool isControl8(char32_t character);
/// Category Mn of Unicode 8.
bool isNonspacingMark8(char32_t character);
/// Category M* of Unicode 9.
bool isMark9(char32_t character);

/// Whether Unicode 9 knew the character; normalisation forms leave later ones alone.
bool isAssigned9(char32_t character);

/// The script of a character (UAX 24) as a number of ICU's; `kNoScript` for those after Unicode 9.
constexpr int kNoScript = -1;
int scriptOf9(char32_t character);

/// The ideographs that BERT sets apart as words.
bool isBertIdeograph(char32_t character);

/// Full lower-case mapping of one character on its own: no final sigma, U+0130 gives i and U+0307.
std::u32string lowercased(char32_t character);

}  // namespace fovea::text
