// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/training/garment_recipe.h"

namespace fovea::test {

/// Garments that are easily told apart: kind k is a square with k + 1 bright bars, upright for even k,
/// dimmer the larger the index.
training::GarmentSet barredGarments(std::size_t kinds, std::size_t ofEach);

/// The same garments in every part.
training::GarmentSplit barredSplit(std::size_t kinds);

/// A recipe over them that is trained in a second: 56 x 56 pixels, three kinds.
training::GarmentRecipe smallRecipe();

}  // namespace fovea::test
