// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/session/text_input.h"
#include "core/support/result.h"
#include "core/text/tokenizer.h"
#include "core/trace/model_info.h"

namespace fovea::app {

/// Reads from a safetensors file, by name and without a batch axis, what the model reads: input_ids,
/// attention_mask, token_type_ids; pixel_values; decoder_input_ids, without which the decoder of two stacks
/// reads what session::addUsualTarget says. Other names are ignored. `tokenizer` gives labels and
/// may be null. Errors name the file, the tensor, what was expected and found.
Result<session::PreparedInput> readInputTensors(const std::filesystem::path& path, const ModelInfo& info,
                                                const text::Tokenizer* tokenizer);

}  // namespace fovea::app
