// SPDX-License-Identifier: GPL-3.0-or-later
// A pass through a bundled model with entmax at every attention site, over the same pass with LibTorch's
// softmax; both record queries and keys of every site. And our pass, which records, over the same model
// written as TorchScript with eager attention, which records nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/benchmarks/sample_models.h"
#include "app/commands/benchmarks/sentence_encoder.h"

namespace fovea::app {

namespace {

constexpr std::size_t pairs = 21;
constexpr EntmaxParameters mechanism{1.5, 1};
constexpr std::size_t textLengths[] = {12, 512};

Result<double> secondsOfRun(const LoadedModel& model, const ModelInput& input, const MechanismPlan& plan,
                            const RunControl& control) {
    Result<std::shared_ptr<const Trace>> trace;
    const double seconds = secondsOf([&] { trace = model.run(input, plan, control); });
    if (!trace) return std::unexpected(trace.error());
    return seconds;
}

Result<void> addEntmaxInside(const char* name, const RunControl& control, std::vector<BenchmarkCase>& cases) {
    const auto sample = openSampleModel(name, control);
    if (!sample) return std::unexpected(sample.error());
    const LoadedModel& model = *sample->own->opened.model;
    const ModelInput& input = sample->own->prepared.input;
    const auto timing = timeInPairs(
        [&] { return secondsOfRun(model, input, MechanismPlan::everywhere(mechanism), control); },
        [&] { return secondsOfRun(model, input, {}, control); }, pairs, control);
    const std::size_t positions = sample->positions();
    return addCase(cases,
                   {fmt::format("{} with entmax inside", sample->name),
                    "the same pass with LibTorch's softmax", mechanism.alpha, positions, positions},
                   timing);
}

ModelInput tokens(std::size_t count) {
    ModelInput input;
    for (std::size_t i = 0; i < count; ++i)
        input.inputIds.push_back(
            static_cast<std::int64_t>((i * 37 + 11) % SentenceEncoderFolder::vocabulary));
    return input;
}

// What is timed must be the same pass: states that differ by more than rounding are no comparison.
Result<void> checkSame(const LoadedModel& model, const TimedScript& script, const ModelInput& input,
                       const RunControl& control) {
    const auto trace = model.run(input, {}, control);
    if (!trace) return std::unexpected(trace.error());
    const std::vector<float>& ours = (*trace)->outputs.front().values;
    std::vector<float> theirs(ours.size());
    if (const auto ran = script.seconds(input.inputIds, theirs); !ran) return std::unexpected(ran.error());
    double worst = 0;
    for (std::size_t i = 0; i < ours.size(); ++i)
        worst = std::max(worst, std::abs(static_cast<double>(ours[i]) - static_cast<double>(theirs[i])));
    if (worst <= 1e-3) return {};
    return fail(fmt::format("our states and those of the script differ by {}", worst));
}

Result<void> addAgainstScript(const Bench& bench, std::vector<BenchmarkCase>& cases) {
    const auto folder = SentenceEncoderFolder::write();
    if (!folder) return std::unexpected(folder.error());
    const auto model = bench.runtime.load(folder->path(), {}, bench.control);
    if (!model) return std::unexpected(model.error());
    const auto script = bench.runtime.eagerScript(folder->path());
    if (!script) return std::unexpected(script.error());
    for (const std::size_t count : textLengths) {
        const ModelInput input = tokens(count);
        if (auto same = checkSame(**model, **script, input, bench.control); !same) return same;
        std::vector<float> states(count * SentenceEncoderFolder::hiddenSize);
        const auto timing =
            timeInPairs([&] { return secondsOfRun(**model, input, {}, bench.control); },
                        [&] { return (*script)->seconds(input.inputIds, states); }, pairs, bench.control);
        const BenchmarkCase described{fmt::format("6 layers of 12 heads, {} tokens, recorded", count),
                                      "the same model as TorchScript with eager attention", 1, count, count};
        if (auto added = addCase(cases, described, timing); !added) return added;
    }
    return {};
}

}  // namespace

BenchmarkCases benchModel(const Bench& bench) {
    std::vector<BenchmarkCase> cases;
    for (const char* name : sampleModelNames) {
        if (auto added = addEntmaxInside(name, bench.control, cases); !added)
            return std::unexpected(added.error());
    }
    if (auto added = addAgainstScript(bench, cases); !added) return std::unexpected(added.error());
    return cases;
}

}  // namespace fovea::app
