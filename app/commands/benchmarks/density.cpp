// SPDX-License-Identifier: GPL-3.0-or-later
// From weights over the positions of a text to a density with its support, over LibTorch's softmax of the same
// array.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/continuous_1d.h"

namespace fovea::app {

namespace {

constexpr ArraySize size{1000, 512};
constexpr std::size_t pairs = 61;

/// False where a row has no density, which must not happen here.
bool supportOfRow(std::span<const float> row, double alpha, Interval& support) {
    auto moments = weightedMoments(row, Positions::Midpoint);
    if (!moments) return false;
    moments->variance = flooredVariance(moments->variance, row.size(), VarianceFloor::Cell);
    const auto density = Density1d::fromMoments(*moments, MomentMatching::Moments, {alpha, 1});
    if (!density) return false;
    support = *density->support();
    return true;
}

}  // namespace

BenchmarkCases benchDensity(const Bench& bench) {
    const AlignedFloats weights = unevenWeights(size.count(), 1);
    AlignedFloats softmax(size.count());
    std::vector<Interval> supports(size.rows);
    const auto peer = [&] {
        return bench.runtime.softmaxSeconds(weights.span(), size.columns, softmax.span());
    };
    std::vector<BenchmarkCase> cases;
    for (const double alpha : {2.0, 1.5}) {
        const auto ours = [&]() -> Result<double> {
            bool all = true;
            const double seconds = secondsOf([&] {
                for (std::size_t r = 0; r < size.rows; ++r) {
                    all &= supportOfRow(weights.span().subspan(r * size.columns, size.columns), alpha,
                                        supports[r]);
                }
            });
            if (!all) return fail("a row of the benchmark has no density");
            return seconds;
        };
        const auto timing = timeInPairs(ours, peer, pairs, bench.control);
        const std::string name = fmt::format("densities of {} rows of {} weights", size.rows, size.columns);
        const BenchmarkCase described{name, "LibTorch's softmax", alpha, size.rows, size.columns};
        if (auto added = addCase(cases, described, timing); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
