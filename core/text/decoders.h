// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "core/text/config_part.h"

namespace fovea::text {

/// A step that turns pieces back into text; the text is what the last step leaves, joined. Immutable.
class Decoder {
public:
    using Pieces = std::vector<std::string>;
    virtual ~Decoder() = default;
    virtual Result<Pieces> decode(Pieces pieces) const = 0;
};

/// Puts `to` in place of every `from`, from left to right; an empty `from` is nowhere. Cost O(text).
void replaceAll(std::string& text, std::string_view from, std::string_view to);

/// The step that the "decoder" section of a tokenizer file describes.
Result<std::unique_ptr<const Decoder>> makeDecoder(const ConfigPart& part);

/// Joins pieces to words; `cleanUp` takes away the spaces before punctuation and in contractions.
std::unique_ptr<const Decoder> makeWordPieceDecoder(std::string prefix, bool cleanUp);

}  // namespace fovea::text
