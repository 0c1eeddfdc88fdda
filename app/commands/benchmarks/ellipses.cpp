// SPDX-License-Identifier: GPL-3.0-or-later
// From weights over the patches of pictures to ellipses, over LibTorch's softmax of the same array.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/continuous_2d.h"

namespace fovea::app {

namespace {

constexpr std::size_t side = 24;
constexpr ArraySize size{1000, side * side};
constexpr std::size_t pairs = 61;

/// From the weights of a row to the semi-axes and the angle of its ellipse; false where it has none.
bool ellipseOfRow(std::span<const float> row, std::vector<double>& scratch, Ellipse& out) {
    scratch.assign(row.begin(), row.end());
    auto moments = weightedMoments(scratch, side, side);
    if (!moments) return false;
    moments->covariance = flooredCovariance(moments->covariance, side, side, VarianceFloor::Cell);
    const auto density = Density2d::fromMoments(*moments, MomentMatching::Moments, {2, 1});
    if (!density) return false;
    out = *density->support();
    return true;
}

}  // namespace

BenchmarkCases benchEllipses(const Bench& bench) {
    const AlignedFloats weights = unevenWeights(size.count(), 1);
    AlignedFloats softmax(size.count());
    std::vector<double> scratch(size.columns);
    std::vector<Ellipse> ellipses(size.rows);
    const auto ours = [&]() -> Result<double> {
        bool all = true;
        const double seconds = secondsOf([&] {
            for (std::size_t r = 0; r < size.rows; ++r) {
                all &= ellipseOfRow(weights.span().subspan(r * size.columns, size.columns), scratch,
                                    ellipses[r]);
            }
        });
        if (!all) return fail("a row of the benchmark has no ellipse");
        return seconds;
    };
    const auto peer = [&] {
        return bench.runtime.softmaxSeconds(weights.span(), size.columns, softmax.span());
    };
    const auto timing = timeInPairs(ours, peer, pairs, bench.control);
    const std::string name = fmt::format("ellipses of {} x {} weights", side, side);
    std::vector<BenchmarkCase> cases;
    if (auto added = addCase(cases, {name, "LibTorch's softmax", 2, size.rows, size.columns}, timing); !added)
        return std::unexpected(added.error());
    return cases;
}

}  // namespace fovea::app
