// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/benchmarks/test_numbers.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace fovea::app {

namespace {

// The library's distributions differ from one to the next; its generators do not. In (0, 1).
double uniform(std::mt19937& generator) {
    return (static_cast<double>(generator()) + 0.5) / 4294967296.0;
}

}  // namespace

AlignedFloats normalNumbers(std::size_t count, double standardDeviation, std::uint32_t seed) {
    AlignedFloats numbers(count);
    std::mt19937 generator(seed);
    for (float& number : numbers.span()) {
        const double radius = std::sqrt(-2 * std::log(uniform(generator)));
        const double angle = 2 * std::numbers::pi * uniform(generator);
        number = static_cast<float>(standardDeviation * radius * std::cos(angle));
    }
    return numbers;
}

AlignedFloats unevenWeights(std::size_t count, std::uint32_t seed) {
    AlignedFloats weights(count);
    std::mt19937 generator(seed);
    for (float& weight : weights.span()) weight = static_cast<float>(std::pow(uniform(generator), 3));
    return weights;
}

std::size_t pairsFor(std::size_t numbers) {
    constexpr std::size_t numbersInAll = std::size_t{400} << 20;
    return std::clamp<std::size_t>(numbersInAll / std::max<std::size_t>(numbers, 1), 9, 101);
}

}  // namespace fovea::app
