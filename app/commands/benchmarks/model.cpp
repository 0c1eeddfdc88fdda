// SPDX-License-Identifier: GPL-3.0-or-later
// A pass through a bundled model with entmax at every attention site, over the same pass with LibTorch's
// softmax; both record queries and keys of every site.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/sample_models.h"

namespace fovea::app {

namespace {

constexpr std::size_t pairs = 21;
constexpr EntmaxParameters mechanism{1.5, 1};

Result<double> secondsOfRun(const SampleModel& sample, const MechanismPlan& plan, const RunControl& control) {
    Result<std::shared_ptr<const Trace>> trace;
    const double seconds = secondsOf([&] { trace = sample.run(plan, control); });
    if (!trace) return std::unexpected(trace.error());
    return seconds;
}

}  // namespace

BenchmarkCases benchModel(const Bench& bench) {
    std::vector<BenchmarkCase> cases;
    const MechanismPlan everywhere = MechanismPlan::everywhere(mechanism);
    for (const char* name : sampleModelNames) {
        const auto sample = openSampleModel(name, bench.control);
        if (!sample) return std::unexpected(sample.error());
        const auto timing = timeInPairs([&] { return secondsOfRun(*sample, everywhere, bench.control); },
                                        [&] { return secondsOfRun(*sample, {}, bench.control); }, pairs,
                                        bench.control);
        const std::size_t positions = sample->positions();
        const BenchmarkCase described{fmt::format("{} with entmax inside", sample->name),
                                      "the same pass with LibTorch's softmax", mechanism.alpha, positions,
                                      positions};
        if (auto added = addCase(cases, described, timing); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
