// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>

#include "core/model/opened_folder.h"
#include "core/support/result.h"

namespace fovea::model {

/// Why a folder's weights cannot be run, if so: one line that names missing tensors, one that names
/// wrong shapes with what was expected and found; a few of each, and how many more there are.
std::optional<Error> incompleteError(const OpenedFolder& folder);

}  // namespace fovea::model
