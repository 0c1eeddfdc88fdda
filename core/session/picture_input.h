// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/image/preprocess.h"
#include "core/session/text_input.h"

namespace fovea::session {

/// A picture that the user chose.
struct PictureChoice {
    std::filesystem::path file;
    image::Sizing sizing;

    bool operator==(const PictureChoice&) const = default;
};

/// Everything that a model is asked to read.
struct InputChoice {
    TextInput text;
    std::optional<PictureChoice> picture;

    bool operator==(const InputChoice&) const = default;
};

/// The patches of a picture of `height` x `width` pixels behind `textTokens` tokens.
/// Precondition: the model reads pictures.
PatchGrid patchGridOf(const ModelInfo& model, std::size_t textTokens, std::size_t height, std::size_t width);

/// Labels of the positions that a picture adds: prefix tokens by name (special), patches as
/// "row,column", counted from 0.
std::vector<TokenLabel> pictureLabels(const ModelInfo& model, const PatchGrid& grid);

/// Makes a text, a picture, or both ready for a model, as it reads them. Errors: a text or a picture
/// missing or too much for this model, in a sentence; what prepareText and image::prepared refuse.
/// `tokenizer` may be null where the model reads no text.
Result<PreparedInput> prepareInput(const text::Tokenizer* tokenizer, const ModelInfo& model,
                                   const image::PreprocessSettings& preprocessing, const InputChoice& choice,
                                   std::shared_ptr<const image::RgbImage> decoded);

}  // namespace fovea::session
