// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/benchmarks/benchmark.h"

#include <fmt/format.h>

namespace fovea::app {

Result<void> addCase(std::vector<BenchmarkCase>& cases, BenchmarkCase described,
                     const Result<PairedTiming>& timing) {
    if (!timing) {
        const Error& error = timing.error();
        return fail(fmt::format("{}: {}", described.name, error.message), error.kind);
    }
    described.timing = *timing;
    cases.push_back(std::move(described));
    return {};
}

}  // namespace fovea::app
