// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/training/garment_set.h"
#include "core/training/random_stream.h"

namespace fovea::training {

/// How collages are made. Everything is whole numbers, so that pictures are the same to the bit on
/// every machine; grey levels go from 0 to 255.
struct CollageSettings {
    int side = 0;             ///< height and width, pixels; a multiple of the garments' side
    int fewestKinds = 1;      ///< kinds of garments in a picture
    int mostKinds = 1;
    int fewestPieces = 1;     ///< garments of each of these kinds
    int mostPieces = 1;
    int jitter = 0;           ///< a garment stands up to so many pixels beside its cell, in each direction
    int dimmest = 256;        ///< a garment is multiplied by a number from dimmest / 256 ...
    int brightest = 256;      ///< ... to brightest / 256
    int threshold = 0;        ///< of a garment, only what is brighter is pasted
    int backgroundCell = 1;   ///< the background is interpolated between random levels this far apart
    int lightestBackground = 0;
    int noise = 0;            ///< standard deviation of the noise over all, before it is cut to whole levels
};

/// A garment in a collage: its kind, its index among those of the kind, and its first row and column.
struct Placement {
    std::size_t kind = 0;
    std::size_t garment = 0;
    int row = 0;
    int column = 0;

    bool operator==(const Placement&) const = default;
};

/// A picture with garments whose places are known.
struct Collage {
    std::vector<std::uint8_t> pixels;  ///< (side, side), row by row
    std::vector<Placement> placements;

    /// Whether each kind is there.
    std::vector<bool> presence(std::size_t kinds) const;
};

/// What lies under the centre of each patch, row by row: the kind of the garment whose square covers it
/// (the one that was pasted last), or `kinds`, the background. `patch` divides the settings' side.
std::vector<std::size_t> kindsUnderPatches(const Collage& collage, int side, int patch, int garmentSide,
                                           std::size_t kinds);

/// A collage: some kinds of garments, some pieces of each, every number of them equally likely, in
/// different cells of a grid as wide as a garment, over a textured background, under noise. Precondition:
/// there are as many kinds and cells as there can be, and each kind has garments. Cost: about side^2
/// numbers.
Collage makeCollage(const CollageSettings& settings, const GarmentSet& garments, RandomStream random);

}  // namespace fovea::training
