// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/io/tensor_files.h"
#include "core/model/tensor_layout.h"
#include "core/model/transformer_settings.h"
#include "core/support/result.h"

namespace fovea::model {

/// How a folder of the sentence-transformers library pools the states of its transformer: its modules.json
/// lists the transformer, a pooling, dense layers and a norm, the latter where there are any; each with its
/// config.json in a folder below. Nothing where there is no modules.json or where it begins with something
/// else than such a transformer. Errors name file and key; modules, poolings and activations that are not
/// known here, several poolings at once and a transformer in a folder of its own are
/// ErrorKind::Unsupported.
Result<std::optional<EmbeddingSettings>> readSentenceModules(const std::filesystem::path& folder);

/// Role of dense layer `index` behind the pooling, "embedding.0".
std::string embeddingRole(std::size_t index);
/// Appends the dense layers' slots.
void addEmbeddingLayers(const EmbeddingSettings& embedding, TensorLayout& layout);
/// `weights` with those of the dense layers, which lie in folders below `folder`. Errors name the file.
Result<std::shared_ptr<const io::TensorFiles>> withEmbeddingLayers(
    const std::filesystem::path& folder, const EmbeddingSettings& embedding,
    std::shared_ptr<const io::TensorFiles> weights);

}  // namespace fovea::model
