// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/support/result.h"
#include "core/trace/model_info.h"

namespace fovea::model {

/// Whether nothing but the head is missing: attention and states would be right, outputs random.
bool headAloneIsMissing(const LoadReport& report);

/// Why a folder's weights cannot be run, if so: one line that names missing tensors, one that names
/// wrong shapes with what was expected and found; a few of each, and how many more there are.
std::optional<Error> incompleteError(const ModelInfo& info);

}  // namespace fovea::model
