// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace fovea::training {

/// Grey pictures of garments by kind, from 0 (nothing) to 255.
class GarmentSet {
public:
    /// `side` is the height and width of every picture.
    GarmentSet(std::size_t side, std::size_t kinds) : side_(side), pixels_(kinds) {}

    std::size_t side() const { return side_; }
    std::size_t kinds() const { return pixels_.size(); }
    std::size_t count(std::size_t kind) const { return pixels_[kind].size() / (side_ * side_); }
    /// Row by row.
    std::span<const std::uint8_t> picture(std::size_t kind, std::size_t index) const {
        return std::span(pixels_[kind]).subspan(index * side_ * side_, side_ * side_);
    }
    void add(std::size_t kind, std::span<const std::uint8_t> picture) {
        pixels_[kind].insert(pixels_[kind].end(), picture.begin(), picture.end());
    }

private:
    std::size_t side_;
    std::vector<std::vector<std::uint8_t>> pixels_;
};

/// Which garments stand in which pictures: no garment is seen in two parts.
struct GarmentSplit {
    GarmentSet training;
    GarmentSet development;
    GarmentSet test;
};

/// Reads Fashion-MNIST [X17] from `folder`. Kind k of the sets is class `classes[k]` of its labels.
/// Test garments are those of its test file, development garments the last `developmentGarments` of
/// its training file. Errors: files that are missing (with the name of Debian's package), broken or do
/// not belong together, a kind without garments.
Result<GarmentSplit> readFashionMnist(const std::filesystem::path& folder,
                                      std::span<const std::size_t> classes, std::size_t developmentGarments);

}  // namespace fovea::training
