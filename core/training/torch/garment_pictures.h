// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ATen/ATen.h>

#include "core/training/garment_recipe.h"

namespace fovea::training {

/// What a stream of random numbers is for, so that no two are the same.
enum class StreamPurpose : std::uint64_t { Weights = 1, Training, Development, Test };

/// Pictures of a recipe as the transformer reads them, with what is known of them.
struct GarmentBatch {
    at::Tensor pixels;    ///< (pictures, side, side), float32, normalised
    at::Tensor presence;  ///< (pictures, kinds), float32, 0 or 1
    at::Tensor patches;   ///< (pictures, patches), int64: the kind under each, or the number of kinds
};

/// Picture `index` of `purpose`; the same on every machine.
Collage pictureAt(const GarmentRecipe& recipe, const GarmentSet& garments, StreamPurpose purpose,
                  std::size_t index);

/// The pictures from `begin`, `count` of them.
GarmentBatch batchOf(const GarmentRecipe& recipe, const GarmentSet& garments, StreamPurpose purpose,
                     std::size_t begin, std::size_t count);

}  // namespace fovea::training
