// SPDX-License-Identifier: GPL-3.0-or-later
// The forward pass of α-entmax over arrays of rows, on one thread, over LibTorch's softmax of the same.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/entmax_rows.h"

namespace fovea::app {

namespace {

constexpr double scoreDeviation = 3;  // scores of variance 9

Result<void> addForward(ArraySize size, const Bench& bench, std::vector<BenchmarkCase>& cases) {
    const AlignedFloats scores = normalNumbers(size.count(), scoreDeviation, 1);
    AlignedFloats weights(size.count());
    AlignedFloats peerWeights(size.count());
    const auto peer = [&] {
        return bench.runtime.softmaxSeconds(scores.span(), size.columns, peerWeights.span());
    };
    for (const double alpha : entmaxAlphas) {
        const auto ours = [&]() -> Result<double> {
            return secondsOf([&] { entmaxRows(scores.span(), size.columns, {alpha, 1}, weights.span()); });
        };
        const auto timing = timeInPairs(ours, peer, pairsFor(size.count()), bench.control);
        const std::string name = fmt::format("entmax of {} x {} scores", size.rows, size.columns);
        const BenchmarkCase described{name, "LibTorch's softmax", alpha, size.rows, size.columns};
        if (auto added = addCase(cases, described, timing); !added) return added;
    }
    return {};
}

}  // namespace

BenchmarkCases benchEntmax(const Bench& bench) {
    std::vector<BenchmarkCase> cases;
    for (const ArraySize size : entmaxSizes) {
        if (auto added = addForward(size, bench, cases); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
