// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/support/result.h"
#include "core/trace/model_info.h"
#include "core/trace/model_runtime.h"

namespace fovea::model {

/// Why a model cannot run `input`, if so: a text or a picture that it does not read, or that it needs
/// and is not there; no tokens, more tokens than positions, lengths that differ, ids or types outside
/// their tables, a mask that is not 0 and 1 or hides everything; pixels of another number than their
/// shape says, or a side that is no whole number of patches. Token types given to a model without
/// them are ignored, as it never looks at them.
std::optional<Error> inputError(const ModelInput& input, const ModelInfo& info);

/// Why a model cannot continue `input`, if so: what `inputError` says of the text alone, a model that
/// generates nothing, settings out of their domain, fewer positions than the whole text may take.
std::optional<Error> generationError(const ModelInput& input, const ModelInfo& info,
                                     const GenerationSettings& settings);

}  // namespace fovea::model
