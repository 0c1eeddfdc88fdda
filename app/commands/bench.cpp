// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "app/commands/benchmarks/benchmark.h"
#include "app/commands/json_output.h"
#include "app/commands/processor.h"
#include "core/model/runtime_module.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Benchmark {
    std::string_view name;
    std::string_view what;
    BenchmarkCases (*run)(const Bench&);
};

constexpr std::array<Benchmark, 9> benchmarks{{
    {"entmax", "weights of whole arrays on one thread", benchEntmax},
    {"entmax-threads", "two threads over one", benchEntmaxThreads},
    {"entmax-gradient", "the backward pass of whole arrays", benchEntmaxGradient},
    {"density", "weights over a text to densities", benchDensity},
    {"ellipses", "weights over pictures to ellipses", benchEllipses},
    {"lookup", "a fixed-size memory over attention to all states", benchLookup},
    {"model", "a pass with entmax inside over one with softmax", benchModel},
    {"overview", "all heads of a model from recorded scores", benchOverview},
    {"window", "a slider's step to pixels over the model's own pass", benchWindow},
}};

/// What is asked for; all of them when `name` is empty.
Result<std::vector<Benchmark>> chosenBenchmarks(const std::string& name) {
    std::vector<Benchmark> chosen;
    std::vector<std::string_view> names;
    for (const Benchmark& benchmark : benchmarks) {
        names.push_back(benchmark.name);
        if (name.empty() || benchmark.name == name) chosen.push_back(benchmark);
    }
    if (!chosen.empty()) return chosen;
    return fail(fmt::format("there is no benchmark “{}”; there are {}", name, fmt::join(names, ", ")),
                ErrorKind::Usage);
}

struct Report {
    std::string libtorch;
    std::vector<BenchmarkCase> cases;
};

Result<Report> runAll(const std::vector<Benchmark>& chosen, const RunControl& control) {
    control.report("starting LibTorch", 0);
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    Report report{(*runtime)->version(), {}};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
        control.report(chosen[i].name, static_cast<double>(i) / static_cast<double>(chosen.size()));
        auto found = chosen[i].run({**runtime, control});
        if (!found) return std::unexpected(found.error());
        for (BenchmarkCase& one : *found) report.cases.push_back(std::move(one));
    }
    return report;
}

Json caseJson(const BenchmarkCase& one) {
    return {{"name", one.name},
            {"alpha", one.alpha},
            {"rows", one.rows},
            {"columns", one.columns},
            {"threads", one.threads},
            {"peer", one.peer},
            {"milliseconds", one.timing.ourSeconds * 1e3},
            {"peer_milliseconds", one.timing.peerSeconds * 1e3},
            {"ratio", one.timing.ratio},
            {"low", one.timing.low},
            {"high", one.timing.high}};
}

std::size_t mostThreads(const Report& report) {
    std::size_t most = 1;
    for (const BenchmarkCase& one : report.cases) most = std::max(most, one.threads);
    return most;
}

Json reportJson(const Report& report) {
    Json cases = Json::array();
    for (const BenchmarkCase& one : report.cases) cases.push_back(caseJson(one));
    return {{"cpu", processorName()},
            {"features", {{"vector_unit", vectorUnit()}, {"flags", processorFlags()}}},
            {"threads", mostThreads(report)},
            {"libtorch", report.libtorch},
            {"cases", cases}};
}

std::string reportText(const Report& report) {
    std::string text =
        fmt::format("{}, {}, {}, LibTorch {}\n\n{:<46} {:>5}  {:>6}  {:>15}  {:>20}\n", processorName(),
                    vectorUnit(), mostThreads(report) == 1 ? "one thread" : "one or two threads",
                    report.libtorch, "ours over the peer", "alpha", "ratio", "quartiles", "milliseconds");
    std::string_view peer;
    for (const BenchmarkCase& one : report.cases) {
        if (one.peer != peer) text += fmt::format("over {}\n", one.peer);
        peer = one.peer;
        text += fmt::format("  {:<44} {:>5}  {:>6.3f}  {:>6.3f} to {:>5.3f}  {:>8.3f} to {:>8.3f}\n", one.name,
                            one.alpha, one.timing.ratio, one.timing.low, one.timing.high,
                            one.timing.ourSeconds * 1e3, one.timing.peerSeconds * 1e3);
    }
    return text;
}

Result<void> bench(const std::string& name, bool json, const RunControl& control) {
    const auto chosen = chosenBenchmarks(name);
    if (!chosen) return std::unexpected(chosen.error());
    const auto report = runAll(*chosen, control);
    if (!report) return std::unexpected(report.error());
    return printText(json ? jsonLine(reportJson(*report)) : reportText(*report));
}

std::string nameHelp() {
    std::string text = "Which one; all when left out:";
    for (const Benchmark& benchmark : benchmarks)
        text += fmt::format("\n{:<16} {}", benchmark.name, benchmark.what);
    return text;
}

}  // namespace

int runBench(const Arguments& arguments) {
    std::string name;
    bool json = false;
    CLI::App parser("Timings of Fovea's own code, as ratios against LibTorch in the same run.",
                    "fovea bench");
    parser.add_option("NAME", name, nameHelp());
    parser.add_flag("--json", json, "Print one JSON object");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return bench(name, json, control); });
}

}  // namespace fovea::app
