// SPDX-License-Identifier: GPL-3.0-or-later
// Lookups in the fixed-size memory C of linear attention, R = C q, over LibTorch's softmax attention over all
// of the states: once query by query, as they come while a text is read, once all together.
#include <fmt/format.h>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/test_numbers.h"
#include "core/mechanism/linear_memory.h"

namespace fovea::app {

namespace {

constexpr std::size_t states = 750;
constexpr std::size_t width = 100;
constexpr std::size_t queries = 1000;
constexpr std::size_t pairs = 31;

RowMatrixF asMatrix(std::span<const float> values) {
    const auto rows = static_cast<Eigen::Index>(values.size() / width);
    return Eigen::Map<const RowMatrixF>(values.data(), rows, width);
}

/// R of every query, one by one, in double as the window asks.
void lookUpEach(const LinearMemory& memory, const RowMatrixF& asked, RowMatrixF& answers) {
    for (Eigen::Index i = 0; i < asked.rows(); ++i) {
        const Eigen::VectorXd query = asked.row(i).cast<double>();
        answers.row(i) = memory.lookup(query).cast<float>();
    }
}

}  // namespace

BenchmarkCases benchLookup(const Bench& bench) {
    const AlignedFloats remembered = normalNumbers(states * width, 1, 1);
    const AlignedFloats asked = normalNumbers(queries * width, 0.1, 2);
    AlignedFloats peerAnswers(queries * width);
    LinearMemory memory(width);
    memory.append(asMatrix(remembered.span()).cast<double>());
    const RowMatrixF questions = asMatrix(asked.span());
    RowMatrixF answers(queries, width);

    std::vector<BenchmarkCase> cases;
    for (const QueryOrder order : {QueryOrder::OneByOne, QueryOrder::Together}) {
        const bool each = order == QueryOrder::OneByOne;
        const auto ours = [&]() -> Result<double> {
            return secondsOf([&] {
                if (each) lookUpEach(memory, questions, answers);
                else answers = memory.lookup(questions);
            });
        };
        const auto peer = [&] {
            return bench.runtime.attentionSeconds(remembered.span(), asked.span(), width, order,
                                                  peerAnswers.span());
        };
        const auto timing = timeInPairs(ours, peer, pairs, bench.control);
        const std::string name =
            fmt::format("lookups in a memory of {0} x {0}, {1}", width, each ? "one by one" : "together");
        const std::string against = fmt::format("LibTorch's softmax attention over {} states", states);
        if (auto added = addCase(cases, {name, against, 1, queries, width}, timing); !added)
            return std::unexpected(added.error());
    }
    return cases;
}

}  // namespace fovea::app
