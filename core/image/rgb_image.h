// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::image {

/// A decoded picture: 8 bits a channel, red, green, blue, row by row from the top left, no padding.
struct RgbImage {
    std::size_t width = 0;
    std::size_t height = 0;
    std::vector<std::uint8_t> pixels;  ///< (height, width, 3)

    const std::uint8_t* at(std::size_t row, std::size_t column) const {
        return &pixels[(row * width + column) * 3];
    }
};

/// A rectangle in pixels, x to the right, y down; pixel (i, j) covers [j, j+1) x [i, i+1).
struct PixelRect {
    double left = 0;
    double top = 0;
    double width = 0;
    double height = 0;

    bool operator==(const PixelRect&) const = default;
};

}  // namespace fovea::image
