// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

#include "core/support/result.h"

namespace fovea::model {

/// Where the files of a model lie, and what to call it.
struct ModelPlace {
    std::filesystem::path folder;
    std::string name;  ///< the folder's name; "org/name" in the hub's cache
};

/// Follows `path` into the cache of the hub: of "models--org--name", and of its "snapshots", the snapshot
/// that refs/main names, else the newest; any other path is its own folder. Files of a folder that are
/// links must stay inside of it, or lead to the blobs of such a cache. Errors: a cache without snapshots, a
/// link that leads elsewhere. A path that is no folder is returned as it is.
Result<ModelPlace> modelPlace(const std::filesystem::path& path);

/// The file that holds a folder's weights, or the index of several; empty when there is none.
std::filesystem::path weightsFile(const std::filesystem::path& folder);

/// Why a path without config.json, or without weights that are read, is no model folder, and what to do:
/// an adapter, files of other programs (gguf, onnx, Flax, TensorFlow), shards without an index, a folder
/// of model folders, a file.
Error noModelError(const std::filesystem::path& path);

}  // namespace fovea::model
