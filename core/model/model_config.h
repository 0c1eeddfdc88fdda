// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/model/transformer_settings.h"
#include "core/support/result.h"

namespace fovea::model {

/// Values of `model_type` that can be read, sorted.
std::vector<std::string> supportedModelTypes();

/// Reads `folder`/config.json: keys that are absent take the defaults that the transformers library
/// gives them, old and new spellings of rotary settings are both read. Errors name the file, the key,
/// what was expected and what was found; kinds of models, heads and settings that are well-formed
/// but not known here are ErrorKind::Unsupported. `bodyAlone`: whatever head `architectures` names, the
/// settings are those of the family's body.
Result<TransformerSettings> readSettings(const std::filesystem::path& folder, bool bodyAlone = false);

}  // namespace fovea::model
