// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "core/support/result.h"
#include "core/text/config_part.h"
#include "core/text/normalized_text.h"

namespace fovea::text {

/// A step that rewrites the text before it is cut into words. Immutable.
class Normalizer {
public:
    virtual ~Normalizer() = default;
    virtual Result<void> apply(NormalizedText& text) const = 0;
};

/// The step that the "normalizer" section of a tokenizer file describes.
Result<std::unique_ptr<const Normalizer>> makeNormalizer(const ConfigPart& part);

/// BERT's: clean up control characters and spaces, set ideographs apart, strip accents, lower case.
struct BertNormalization {
    bool cleanText = true;
    bool handleIdeographs = true;
    bool stripAccents = true;
    bool lowerCase = true;
};
std::unique_ptr<const Normalizer> makeBertNormalizer(const BertNormalization& settings);

/// Writes every byte as one of 256 letters.
std::unique_ptr<const Normalizer> makeByteLevelNormalizer();

/// SentencePiece's table of replacements, see precompiled_normalizer.cpp.
Result<std::unique_ptr<const Normalizer>> makePrecompiledNormalizer(const ConfigPart& part);

}  // namespace fovea::text
