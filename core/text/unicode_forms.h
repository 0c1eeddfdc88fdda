// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/text/normalized_text.h"

namespace fovea::text {

/// Unicode normalisation forms.
enum class UnicodeForm { C, D, KC, KD };

/// Rewrites the text in a normalisation form (UAX 15) and keeps its alignment with the source.
/// Linear in the text, but for runs of combining marks, which are sorted.
void normalizeUnicode(NormalizedText& text, UnicodeForm form);

/// Rewrites every character by its own lower-case mapping.
void lowerCase(NormalizedText& text);

}  // namespace fovea::text
