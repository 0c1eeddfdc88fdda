// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"

namespace fovea::text {

/// A step that cuts a normalised text into words, which the model then cuts into pieces. Immutable.
class PreTokenizer {
public:
    virtual ~PreTokenizer() = default;
    /// The words of `text` (not empty), in order; what lies between them is dropped.
    virtual Result<std::vector<NormalizedText>> split(NormalizedText text) const = 0;
};

/// The step that the "pre_tokenizer" section of a tokenizer file describes.
Result<std::unique_ptr<const PreTokenizer>> makePreTokenizer(const ConfigPart& part);

/// BERT's: words end at spaces, punctuation marks stand alone.
std::unique_ptr<const PreTokenizer> makeBertPreTokenizer();

/// GPT-2's: optionally cuts by its regular expression, then writes every byte as one of 256 letters.
Result<std::unique_ptr<const PreTokenizer>> makeByteLevelPreTokenizer(const ConfigPart& part);

/// Spaces become a visible mark, which begins a word.
Result<std::unique_ptr<const PreTokenizer>> makeMetaspacePreTokenizer(const ConfigPart& part);

}  // namespace fovea::text
