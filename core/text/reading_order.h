// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace fovea::text {

/// How deep right-to-left and left-to-right lie in each other [UAX 9], for every UTF-16 unit of a paragraph
/// that reads `fromRight` or from the left: even numbers read from the left, odd ones from the right. Without
/// memory for ICU's work all of it reads as the paragraph does. Cost O(units).
std::vector<std::uint8_t> embeddingLevels(std::u16string_view text, bool fromRight);

/// The items of a line as they stand from left to right, given their levels in reading order (rule L2).
std::vector<std::size_t> orderOnLine(std::span<const std::uint8_t> levels);

}  // namespace fovea::text
