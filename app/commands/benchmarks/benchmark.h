// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/commands/paired_timing.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/model_runtime.h"

namespace fovea::app {

/// One comparison: ours against a peer on the same numbers in the same run.
struct BenchmarkCase {
    std::string name;         ///< what was timed, "entmax 512 x 512"
    std::string peer;         ///< what it is compared with, "LibTorch's softmax"
    double alpha = 1;
    std::size_t rows = 0;     ///< of the scores, weights or queries
    std::size_t columns = 0;  ///< entries of a row
    std::size_t threads = 1;  ///< of ours
    PairedTiming timing = {};
};

/// What a benchmark works with.
struct Bench {
    const ModelRuntime& runtime;
    const RunControl& control;
};

/// The cases of a benchmark, or why there are none.
using BenchmarkCases = Result<std::vector<BenchmarkCase>>;

/// Adds a case with its timing to `cases`; the error of a timing names the case.
Result<void> addCase(std::vector<BenchmarkCase>& cases, BenchmarkCase described,
                     const Result<PairedTiming>& timing);

// One a file, by the name that `fovea bench` knows.
BenchmarkCases benchEntmax(const Bench& bench);          ///< entmax
BenchmarkCases benchEntmaxThreads(const Bench& bench);   ///< entmax-threads
BenchmarkCases benchEntmaxGradient(const Bench& bench);  ///< entmax-gradient
BenchmarkCases benchDensity(const Bench& bench);         ///< density
BenchmarkCases benchEllipses(const Bench& bench);        ///< ellipses
BenchmarkCases benchLookup(const Bench& bench);          ///< lookup
BenchmarkCases benchModel(const Bench& bench);           ///< model
BenchmarkCases benchOverview(const Bench& bench);        ///< overview
BenchmarkCases benchWindow(const Bench& bench);          ///< window

}  // namespace fovea::app
