// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/io/tensor_files.h"
#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"
#include "core/support/result.h"
#include "core/trace/model_info.h"

namespace fovea::model {

/// A model folder that was understood: what it says, and its mapped weights.
struct OpenedFolder {
    TransformerSettings settings;
    std::shared_ptr<const io::TensorFiles> weights;
    TensorMatch match;
    ModelInfo info;
};

/// Reads configuration and tensor headers; see `describeFolder` for the errors.
Result<OpenedFolder> openFolder(const std::filesystem::path& folder, const LoadOptions& options = {});

}  // namespace fovea::model
