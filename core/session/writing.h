// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>

#include "core/session/text_input.h"

namespace fovea::session {

/// How `model` writes when it is given `input`: of two stacks an answer of usualAnswerLength tokens unless
/// told, and none where a target is given; a decoder alone as many as are asked for. At most as many as
/// there are positions, the start token counted. None: nothing is written.
std::optional<GenerationSettings> wantedWriting(const ModelInfo& model, const TextInput& input);

/// The same for a new input that asks for nothing yet: what a model of two stacks answers with.
GenerationSettings usualWriting(const ModelInfo& model);

/// What the model wrote, as text: the tokens that say so, special ones left out. `tokenizer` may be null,
/// then their texts with spaces between.
std::string writtenText(const text::Tokenizer* tokenizer, std::span<const TokenLabel> labels);

/// The same of ids alone.
std::string writtenText(const text::Tokenizer* tokenizer, std::span<const std::int64_t> ids);

}  // namespace fovea::session
