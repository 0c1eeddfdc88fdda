// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/ATen.h>

#include "core/model/torch/weights.h"
#include "core/model/transformer_settings.h"
#include "core/trace/model_runtime.h"
#include "core/trace/patch_grid.h"

namespace fovea::model {

/// The patches of `picture` behind `textTokens` tokens. Precondition: whole patches.
PatchGrid patchGrid(const PictureSettings& settings, const PixelValues& picture, std::size_t textTokens);

/// What a picture puts into the sequence: prefix tokens and projected patches, row by row, each with its
/// learned position, before any norm: (prefix + patches, hidden). A picture whose grid is not the one of
/// the table of positions gets an interpolated table; at the table's own grid nothing is interpolated.
at::Tensor pictureStates(const PictureSettings& settings, const Weights& weights, const PixelValues& picture);

}  // namespace fovea::model
