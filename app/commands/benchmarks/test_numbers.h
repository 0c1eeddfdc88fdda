// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea::app {

/// Floats that begin at a multiple of 64 bytes, as those of LibTorch do.
class AlignedFloats {
public:
    explicit AlignedFloats(std::size_t size) : lines_((size + lineLength - 1) / lineLength), size_(size) {}
    std::span<float> span() { return {lines_.empty() ? nullptr : lines_.front().values, size_}; }
    std::span<const float> span() const { return {lines_.empty() ? nullptr : lines_.front().values, size_}; }

private:
    static constexpr std::size_t lineLength = 16;
    struct alignas(64) Line {
        float values[lineLength] = {};
    };
    std::vector<Line> lines_;
    std::size_t size_;
};

/// An array of rows.
struct ArraySize {
    std::size_t rows = 0;
    std::size_t columns = 0;

    std::size_t count() const { return rows * columns; }
};

/// The arrays that the speed of entmax is measured on: small, many short rows, large.
inline constexpr ArraySize entmaxSizes[] = {{512, 512}, {18432, 128}, {4096, 4096}};
/// Those with a solution of their own (1.5, 2) and those of the general one.
inline constexpr double entmaxAlphas[] = {1.5, 2, 1.1, 1.3, 1.75, 3};

/// Normal numbers of mean 0, the same in every run on every machine.
AlignedFloats normalNumbers(std::size_t count, double standardDeviation, std::uint32_t seed);

/// Positive, uneven weights, the same in every run.
AlignedFloats unevenWeights(std::size_t count, std::uint32_t seed);

/// How often a case on that many numbers is measured: seconds in all, however fast or slow the machine is.
std::size_t pairsFor(std::size_t numbers);

}  // namespace fovea::app
