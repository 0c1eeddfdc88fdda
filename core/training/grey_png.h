// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace fovea::training {

/// The bytes of a PNG file with 8 bits of grey: signature, header (IHDR), one compressed block (IDAT)
/// of rows that each begin with a zero (no filter), end (IEND). Precondition: height * width pixels,
/// at least one.
std::string greyPng(std::span<const std::uint8_t> pixels, std::size_t height, std::size_t width);

}  // namespace fovea::training
