// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/entmax_laws.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fovea::entmax_laws {

namespace {

/// d = (max(z) - z)/T: subtracted before the division, so that no offset of the scores matters.
double gap(const Row& row, double score) {
    return (row.highest - score) / row.temperature;
}

/// The k smallest halved gaps y of an alpha = 1.5 row, one at a time, with their mean m and sum
/// of squared deviations Q (Welford's update: E[y^2] - m^2 would cancel).
struct RunningMoments {
    double mean = 0;
    double deviations = 0;
    std::size_t count = 0;

    RunningMoments with(double y) const {
        RunningMoments next{mean, deviations, count + 1};
        const double step = y - mean;
        next.mean += step / static_cast<double>(next.count);
        next.deviations += step * (y - next.mean);
        return next;
    }
    /// y is in the support when sum_j (y - y_j)^2 < 1 over the entries before it.
    bool supports(double y) const {
        const double toMean = y - mean;
        return deviations + static_cast<double>(count) * toMean * toMean < 1;
    }
};

/// Moments of the supported entries; sorts no more of `gaps` than it has to.
RunningMoments supportedMoments(std::span<double> gaps) {
    RunningMoments moments;
    std::size_t block = 64;
    for (std::size_t begin = 0; begin < gaps.size(); block *= 4) {
        const std::size_t end = std::min(gaps.size(), begin + block);
        const auto from = gaps.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto to = gaps.begin() + static_cast<std::ptrdiff_t>(end);
        if (to != gaps.end()) std::nth_element(from, to, gaps.end());
        std::sort(from, to);
        for (auto y = from; y != to; ++y) {
            const RunningMoments next = moments.with(*y);
            if (!next.supports(*y)) return moments;
            moments = next;
        }
        begin = end;
    }
    return moments;
}

}  // namespace

double accurateSum(std::span<const double> values) {
    // Pairwise, over blocks summed in eight lanes that the processor adds side by side.
    constexpr std::size_t block = 256;
    constexpr std::size_t lanes = 8;
    if (values.size() > block) {
        const std::size_t half = values.size() / 2;
        return accurateSum(values.first(half)) + accurateSum(values.subspan(half));
    }
    std::array<double, lanes> sums{};
    std::size_t i = 0;
    for (; i + lanes <= values.size(); i += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
    }
    for (; i < values.size(); ++i) sums[i % lanes] += values[i];
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

Solution softmax(const Row& row) {
    // Below exp(-746) even the smallest denormal is 0.
    constexpr double vanishing = 746;
    Solution solution;
    for (double& value : row.values) {
        solution.support += !std::isinf(value);
        const double d = gap(row, value);
        value = d < vanishing ? std::exp(-d) : 0.0;
    }
    solution.offset = std::log(accurateSum(row.values));
    return solution;
}

Solution sparsemax(const Row& row) {
    std::size_t active = 0;
    for (double& value : row.values) {
        value = gap(row, value);
        row.candidates[active] = value;
        active += value < 1;
    }
    // Solved on a set that holds the support; what falls outside its own threshold is dropped,
    // until nothing does.
    double reach = 0;  // 1 - s: gaps below it are in the support
    for (std::size_t before = active + 1; active < before;) {
        before = active;
        const std::span<const double> gaps(row.candidates.data(), active);
        reach = (1 + accurateSum(gaps)) / static_cast<double>(active);
        active = 0;
        for (const double d : gaps) {
            row.candidates[active] = d;
            active += d < reach;
        }
    }
    for (double& value : row.values) value = std::max(reach - value, 0.0);
    return {.offset = std::max(1 - reach, 0.0), .support = active};
}

Solution entmax15(const Row& row) {
    std::size_t count = 0;
    for (double& value : row.values) {
        value = gap(row, value) / 2;
        row.candidates[count] = value;
        count += value < 1;
    }
    const RunningMoments moments = supportedMoments({row.candidates.data(), count});
    const double spread = std::max(1 - moments.deviations, 0.0) / static_cast<double>(moments.count);
    const double reach = moments.mean + std::sqrt(spread);  // 1 - s/2
    Solution solution{.offset = std::max(2 * (1 - reach), 0.0), .support = 0};
    for (double& value : row.values) {
        const double root = reach - value;
        solution.support += root > 0;
        value = root > 0 ? root * root : 0.0;
    }
    return solution;
}

Solution solve(const Row& row) {
    if (row.alpha - 1 < 1e-9) return softmax(row);
    if (row.alpha == 1.5) return entmax15(row);
    if (row.alpha == 2) return sparsemax(row);
    return row.alpha < 2 ? smooth(row) : steep(row);
}

}  // namespace fovea::entmax_laws
