// SPDX-License-Identifier: GPL-3.0-or-later
// α-entmax of a large array on two threads over the same on one: 0.5 would be perfect sharing.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/entmax_rows.h"

namespace fovea::app {

BenchmarkCases benchEntmaxThreads(const Bench& bench) {
    constexpr ArraySize size{4096, 4096};
    const AlignedFloats scores = normalNumbers(size.count(), 3, 1);
    AlignedFloats weights(size.count());
    const auto onThreads = [&](double alpha, std::size_t threads) -> Result<double> {
        return secondsOf(
            [&] { entmaxRows(scores.span(), size.columns, {alpha, 1}, weights.span(), threads); });
    };
    std::vector<BenchmarkCase> cases;
    for (const double alpha : {1.5, 1.3}) {
        const auto timing = timeInPairs([&] { return onThreads(alpha, 2); },
                                        [&] { return onThreads(alpha, 1); }, pairsFor(size.count()),
                                        bench.control);
        const std::string name =
            fmt::format("entmax of {} x {} scores, two threads", size.rows, size.columns);
        const BenchmarkCase described{name, "one thread of ours", alpha, size.rows, size.columns, 2};
        if (auto added = addCase(cases, described, timing); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
