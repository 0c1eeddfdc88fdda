// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/image/preprocess.h"
#include "core/support/result.h"
#include "core/text/tokenizer.h"
#include "core/trace/model_info.h"
#include "core/trace/model_runtime.h"

namespace fovea::session {

/// What the user typed.
struct TextInput {
    std::string text;
    std::optional<std::string> pair;

    bool operator==(const TextInput&) const = default;
};

/// A text, a picture or both made ready for a model.
struct PreparedInput {
    ModelInput input;
    std::vector<TokenLabel> tokens;  ///< of all positions
    std::optional<PatchGrid> grid;
    std::shared_ptr<const image::PreparedPicture> picture;  ///< null without a picture
};

/// Tokenises and checks against the model: an empty text, more tokens than positions and ids beyond
/// the vocabulary are errors that give the numbers.
Result<PreparedInput> prepareText(const text::Tokenizer& tokenizer, const ModelInfo& model,
                                  const TextInput& input);

/// Labels for ids that came without a text; `tokenizer` may be null, then the ids are the labels.
std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, const ModelInput& input);

}  // namespace fovea::session
