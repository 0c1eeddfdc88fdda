// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "core/image/rgb_image.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// Attention that some program wrote into a file: .npy, .npz or .safetensors. An array of shape
/// (layers, heads, queries, keys), (heads, queries, keys) or (queries, keys), or one array a layer,
/// called scores... (before softmax) or attention... (after it); or queries.L and keys.L. Optional, in
/// the metadata (as JSON) or as arrays: tokens, query_tokens (or target_tokens: positions of a decoder, or
/// another text that asks), words (and target_words: each token's word by number, -1 alone; else pieces
/// tell), grid = [rows, columns] (the last positions),
/// image = a path beside the dump or an array (height, width, 3) of bytes, frame = [left, top, width, height]
/// of the grid in that picture's pixels. What `fovea trace` writes is one.
struct AttentionDump {
    ModelInfo info;                             ///< name and sites; the format is "dump"
    std::shared_ptr<const Trace> trace;         ///< weights become scores, so that any mechanism applies
    std::optional<std::filesystem::path> imageFile;  ///< of `image`, made absolute
    std::shared_ptr<const image::RgbImage> image;    ///< of an embedded `image`
    std::optional<image::PixelRect> frame;           ///< of the grid in the picture; none: all of it
    std::vector<TokenLabel> queryTokens;             ///< where queries are other positions than keys
};

/// Errors name the array and the arithmetic: a grid that does not fit the keys, tokens that do not,
/// weights that are negative or do not sum to one, no attention at all (with the names that are there).
Result<AttentionDump> readAttentionDump(const std::filesystem::path& path, const RunControl& control);

/// True when the ending is one of a dump's.
bool looksLikeDump(const std::filesystem::path& path);

}  // namespace fovea::session
