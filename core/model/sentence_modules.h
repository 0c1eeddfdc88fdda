// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

#include "core/model/transformer_settings.h"
#include "core/support/result.h"

namespace fovea::model {

/// How a folder of the sentence-transformers library pools the states of its transformer: its modules.json
/// lists the transformer, a pooling with its own config.json in a folder below and, perhaps, a norm.
/// Nothing where there is no modules.json or where it begins with something else than such a
/// transformer. Errors name file and key; modules and poolings that are not known here, several
/// poolings at once and a transformer in a folder of its own are ErrorKind::Unsupported.
Result<std::optional<EmbeddingSettings>> readSentenceModules(const std::filesystem::path& folder);

}  // namespace fovea::model
