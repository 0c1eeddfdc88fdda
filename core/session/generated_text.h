// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/session/text_input.h"
#include "core/support/run_control.h"

namespace fovea::session {

/// New tokens of a model of two stacks unless told.
inline constexpr std::size_t usualAnswerLength = 64;

/// Lets `model` go on behind `prepared`, with `plan` inside it, and gives the input of the whole: of a
/// decoder alone the prompt with what it wrote behind it, of two stacks the decoder's own sequence, its
/// start token first. Labels of written tokens say so. `tokenizer` may be null. Every token is told to
/// `each` as it comes. Errors are those of LoadedModel::generate.
Result<PreparedInput> continued(const LoadedModel& model, const text::Tokenizer* tokenizer,
                                PreparedInput prepared, const MechanismPlan& plan,
                                const GenerationSettings& settings, const TokenSink& each,
                                const RunControl& control);

}  // namespace fovea::session
