// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace fovea::training {

/// A stream of random numbers that is the same on every machine, and cheap to start anew: each picture
/// has its own, so that it does not matter who draws which picture, nor when. SplitMix64 [S14]: a
/// counter whose steps are mixed.
class RandomStream {
public:
    explicit RandomStream(std::uint64_t seed) : state_(seed) {}

    /// The stream of item `index` of purpose `purpose` under `seed`.
    RandomStream(std::uint64_t seed, std::uint64_t purpose, std::uint64_t index)
        : state_(mixed(mixed(mixed(seed) + purpose) + index)) {}

    std::uint64_t next() { return mixed(state_ += golden); }

    /// In [0, count); count is at least 1 and below 2^32. The bias is below count / 2^32.
    std::uint32_t below(std::uint32_t count) {
        return static_cast<std::uint32_t>(((next() >> 32) * count) >> 32);
    }

    /// In [first, last].
    int between(int first, int last) {
        return first + static_cast<int>(below(static_cast<std::uint32_t>(last - first + 1)));
    }

    /// From N(0, 1), by Box and Muller.
    double normal() {
        const double scale = 0x1.0p-53;
        const double radius = static_cast<double>((next() >> 11) + 1) * scale;  // in (0, 1]
        const double turn = static_cast<double>(next() >> 11) * scale;
        return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * turn);
    }

private:
    static constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

    static std::uint64_t mixed(std::uint64_t value) {
        value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
        value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
        return value ^ (value >> 31);
    }

    std::uint64_t state_;
};

}  // namespace fovea::training
