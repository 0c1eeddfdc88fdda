// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
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
    /// What the decoder of a model of two stacks reads; none: what the model writes itself.
    std::optional<std::string> target = {};
    GenerationSettings generation = {};  ///< how the model goes on; 0 new tokens: not at all

    bool operator==(const TextInput&) const = default;
};

/// A text, a picture or both made ready for a model.
struct PreparedInput {
    ModelInput input;
    std::vector<TokenLabel> tokens;  ///< of all positions
    std::vector<TokenLabel> targetTokens = {};  ///< of a decoder's own positions, where there are two stacks
    std::optional<PatchGrid> grid;
    std::shared_ptr<const image::PreparedPicture> picture;  ///< null without a picture
};

/// Tokenises and checks against the model: an empty text, more tokens than positions and ids beyond
/// the vocabulary are errors that give the numbers. The decoder of two stacks reads its start token and the
/// tokens of `input.target`, without the end token that the tokenizer puts behind them, or what
/// addUsualTarget says.
Result<PreparedInput> prepareText(const text::Tokenizer& tokenizer, const ModelInfo& model,
                                  const TextInput& input);

/// What the decoder of `model` reads beside what was prepared, unless it is given a sequence of its own: the
/// input again behind its start token, where the model does so; the start token alone; nothing where it
/// writes its own sequence. Fills `decoderInputIds` and `targetTokens`; does nothing to a model of one stack.
void addUsualTarget(const text::Tokenizer* tokenizer, const ModelInfo& model, PreparedInput& prepared);

/// The label of one id behind the tokens `before`, which may be none: the text that it adds, the number
/// without a tokenizer. Where it ends a character that those began, `part` tells which.
TokenLabel labelOfId(const text::Tokenizer* tokenizer, std::span<const TokenLabel> before, std::int64_t id);

/// Labels for ids that came without a text; `tokenizer` may be null, then the ids are the labels.
std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, const ModelInput& input);
std::vector<TokenLabel> labelsOfIds(const text::Tokenizer* tokenizer, std::vector<std::int64_t> ids);

}  // namespace fovea::session
