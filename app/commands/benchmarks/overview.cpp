// SPDX-License-Identifier: GPL-3.0-or-later
// The weights of all heads and layers of a model under another mechanism, from recorded scores, as the overview
// of heads needs them, over LibTorch's softmax of the same scores.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/sample_models.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/entmax_rows.h"

namespace fovea::app {

namespace {

constexpr std::size_t pairs = 61;
constexpr EntmaxParameters mechanism{1.5, 1};

ArraySize sizeOf(const Trace& trace) {
    ArraySize size;
    for (const AttentionRecord& record : trace.records) {
        size.rows += record.scores->heads() * record.scores->queries();
        size.columns = record.scores->keys();
    }
    return size;
}

/// The scores of every head of every site, one row a query.
AlignedFloats scoresOf(const Trace& trace, ArraySize size) {
    AlignedFloats all(size.count());
    std::size_t at = 0;
    for (const AttentionRecord& record : trace.records) {
        const std::size_t count = record.scores->queries() * record.scores->keys();
        for (std::size_t head = 0; head < record.scores->heads(); ++head) {
            record.scores->scores(HeadIndex(head), {QueryIndex(0), record.scores->queries()},
                                  all.span().subspan(at, count));
            at += count;
        }
    }
    return all;
}

Result<void> addOverview(const SampleModel& sample, const Bench& bench, std::vector<BenchmarkCase>& cases) {
    const auto trace = sample.run({}, bench.control);
    if (!trace) return std::unexpected(trace.error());
    const ArraySize size = sizeOf(**trace);
    const AlignedFloats scores = scoresOf(**trace, size);
    AlignedFloats weights(size.count());
    AlignedFloats peerWeights(size.count());
    const auto ours = [&]() -> Result<double> {
        return secondsOf([&] { entmaxRows(scores.span(), size.columns, mechanism, weights.span()); });
    };
    const auto peer = [&] {
        return bench.runtime.softmaxSeconds(scores.span(), size.columns, peerWeights.span());
    };
    const auto timing = timeInPairs(ours, peer, pairs, bench.control);
    const std::string name = fmt::format("all heads of {}", sample.name);
    return addCase(cases, {name, "LibTorch's softmax", mechanism.alpha, size.rows, size.columns}, timing);
}

}  // namespace

BenchmarkCases benchOverview(const Bench& bench) {
    std::vector<BenchmarkCase> cases;
    for (const char* name : sampleModelNames) {
        const auto sample = openSampleModel(name, bench.control);
        if (!sample) return std::unexpected(sample.error());
        if (auto added = addOverview(*sample, bench, cases); !added) return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
