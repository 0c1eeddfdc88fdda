// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>

#include "core/support/result.h"
#include "core/trace/model_info.h"

namespace fovea::model {

/// Reads configuration and tensor headers of a model folder, without LibTorch: what the model is
/// and how its files compare with what it needs. Missing or mismatched tensors are in the report;
/// a folder that cannot be understood at all is an error: no config.json, unknown model type (the
/// message names the supported ones), values of the wrong kind, heads that do not divide.
Result<ModelInfo> describeFolder(const std::filesystem::path& folder, const LoadOptions& options = {});

}  // namespace fovea::model
