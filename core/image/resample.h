// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/image/rgb_image.h"

namespace fovea::image {

/// Filters by the numbers that preprocessor_config.json gives them (those of Pillow).
enum class Filter { Nearest = 0, Lanczos = 1, Bilinear = 2, Bicubic = 3, Box = 4, Hamming = 5 };

/// `image` at another size, as Pillow resizes 8-bit pictures: separable, the filter widened by the
/// scale when shrinking (antialiasing), fixed-point weights of 22 bits, rounded to 8 bits after each
/// pass, horizontal pass first unless far more rows than columns go; nearest takes the pixel under the
/// centre.
/// Preconditions: sizes >= 1. Cost O(width height support).
RgbImage resized(const RgbImage& image, std::size_t width, std::size_t height, Filter filter);

}  // namespace fovea::image
