// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::test {

struct GreyPicture {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<std::uint8_t> pixels;  ///< empty: not a PNG as `greyPng` writes it
};

/// Reads a PNG of 8 bits of grey in one block without filters, with its checksums.
GreyPicture readGreyPng(const std::string& bytes);

}  // namespace fovea::test
