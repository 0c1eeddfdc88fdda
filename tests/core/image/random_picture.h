// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <random>

#include "core/image/rgb_image.h"

namespace fovea::test {

/// Noise that is the same for the same seed.
inline image::RgbImage randomPicture(std::size_t width, std::size_t height, unsigned seed) {
    std::mt19937 random(seed);
    image::RgbImage picture{width, height, std::vector<std::uint8_t>(width * height * 3)};
    for (std::uint8_t& value : picture.pixels) value = static_cast<std::uint8_t>(random() & 0xFF);
    return picture;
}

}  // namespace fovea::test
