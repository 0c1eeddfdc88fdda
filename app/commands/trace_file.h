// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/session/text_input.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

namespace fovea::app {

/// What of a run is written, and how.
struct TraceFileOptions {
    bool queries = false;             ///< queries and keys in place of the weights
    bool half = false;                ///< weights in float16
    std::vector<std::size_t> layers;  ///< empty: all
    std::optional<std::filesystem::path> picture;  ///< file that was looked at
    std::vector<std::int64_t> generatedIds = {};   ///< the whole sequence that the model wrote; empty: none
};

/// Writes attention, outputs and pixels of a run as one safetensors file; which tensors there are says
/// `fovea trace --help`. The metadata: model, tokens, special_tokens, target_tokens, special_target_tokens,
/// grid, frame, image, mask_kinds, mechanisms, scale, as JSON where they are more than a word. Such a file
/// is a dump that the window opens.
/// Precondition: some record is of one of the layers.
Result<void> writeTraceFile(const Trace& trace, const ModelInfo& info, const MechanismPlan& plan,
                            const session::PreparedInput& input, const TraceFileOptions& options,
                            const std::filesystem::path& path, const RunControl& control);

}  // namespace fovea::app
