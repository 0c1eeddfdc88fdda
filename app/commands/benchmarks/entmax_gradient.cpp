// SPDX-License-Identifier: GPL-3.0-or-later
// The vector-Jacobian product of α-entmax from its weights, over LibTorch's backward pass of softmax from
// softmax weights, with the same gradient above both.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/entmax_rows.h"

namespace fovea::app {

namespace {

Result<void> addBackward(ArraySize size, const Bench& bench, std::vector<BenchmarkCase>& cases) {
    const AlignedFloats scores = normalNumbers(size.count(), 3, 1);
    const AlignedFloats upstream = normalNumbers(size.count(), 1, 2);
    AlignedFloats weights(size.count());
    AlignedFloats softmax(size.count());
    AlignedFloats gradient(size.count());
    entmaxRows(scores.span(), size.columns, {1, 1}, softmax.span());
    const auto peer = [&] {
        return bench.runtime.softmaxBackwardSeconds(softmax.span(), upstream.span(), size.columns,
                                                    gradient.span());
    };
    for (const double alpha : entmaxAlphas) {
        entmaxRows(scores.span(), size.columns, {alpha, 1}, weights.span());
        const auto ours = [&]() -> Result<double> {
            return secondsOf([&] {
                entmaxGradientRows(weights.span(), upstream.span(), size.columns, {alpha, 1},
                                   gradient.span());
            });
        };
        const auto timing = timeInPairs(ours, peer, pairsFor(size.count()), bench.control);
        const std::string name = fmt::format("gradient of {} x {} scores", size.rows, size.columns);
        const BenchmarkCase described{name, "LibTorch's softmax backward", alpha, size.rows, size.columns};
        if (auto added = addCase(cases, described, timing); !added) return added;
    }
    return {};
}

}  // namespace

BenchmarkCases benchEntmaxGradient(const Bench& bench) {
    std::vector<BenchmarkCase> cases;
    for (const ArraySize size : entmaxSizes) {
        if (auto added = addBackward(size, bench, cases); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
