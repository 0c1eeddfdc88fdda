// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

#include "app/commands/json_output.h"
#include "app/commands/paired_timing.h"
#include "core/mechanism/continuous_2d.h"
#include "core/model/runtime_module.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Case {
    std::string name;
    double alpha = 1;
    std::size_t rows = 0;
    std::size_t columns = 0;
    PairedTiming timing;
};

struct Benchmark {
    std::string_view name;
    Result<std::vector<Case>> (*run)(const ModelRuntime&, const RunControl&);  // null: not there yet
};

constexpr std::size_t side = 24;
constexpr std::size_t cells = side * side;
constexpr std::size_t gridRows = 1000;
constexpr std::size_t pairs = 61;

/// Positive, uneven and the same in every run.
std::vector<float> someWeights() {
    std::mt19937 generator(1);
    std::vector<float> weights(gridRows * cells);
    for (float& weight : weights) {
        const float share = static_cast<float>(generator() >> 8) / 16777216.0F;
        weight = share * share * share / cells;
    }
    return weights;
}

/// From the weights of a row to the semi-axes and the angle of its ellipse.
bool ellipseOfRow(std::span<const float> row, std::vector<double>& scratch, Ellipse& out) {
    scratch.assign(row.begin(), row.end());
    auto moments = weightedMoments(scratch, side, side);
    if (!moments) return false;
    moments->covariance = flooredCovariance(moments->covariance, side, side, VarianceFloor::Cell);
    const auto density = Density2d::fromMoments(*moments, MomentMatching::Moments, {2, 1});
    if (!density) return false;
    out = *density->support();
    return true;
}

Result<std::vector<Case>> benchEllipses(const ModelRuntime& runtime, const RunControl& control) {
    const std::vector<float> weights = someWeights();
    std::vector<double> scratch(cells);
    std::vector<Ellipse> ellipses(gridRows);
    const auto ours = [&]() -> Result<double> {
        bool all = true;
        const double seconds = secondsOf([&] {
            for (std::size_t r = 0; r < gridRows; ++r) {
                all &= ellipseOfRow(std::span(weights).subspan(r * cells, cells), scratch, ellipses[r]);
            }
        });
        if (!all) return fail("a row of the benchmark has no ellipse");
        return seconds;
    };
    const auto peer = [&]() -> Result<double> {
        const auto seconds = runtime.softmaxSeconds(weights, cells, 1);
        if (!seconds) return std::unexpected(seconds.error());
        return seconds->front();
    };
    const auto timing = timeInPairs(ours, peer, pairs, control);
    if (!timing) return std::unexpected(timing.error());
    const std::string name = fmt::format("ellipses of {} x {} weights", side, side);
    return std::vector<Case>{{name, 2, gridRows, cells, *timing}};
}

constexpr std::array<Benchmark, 9> benchmarks{{
    {"entmax", nullptr},
    {"entmax-threads", nullptr},
    {"entmax-gradient", nullptr},
    {"density", nullptr},
    {"ellipses", benchEllipses},
    {"lookup", nullptr},
    {"model", nullptr},
    {"overview", nullptr},
    {"window", nullptr},
}};

std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

/// What is asked for; all that is there when `name` is empty.
Result<std::vector<Benchmark>> chosenBenchmarks(const std::string& name) {
    std::vector<Benchmark> chosen;
    std::vector<std::string_view> names;
    for (const Benchmark& benchmark : benchmarks) {
        names.push_back(benchmark.name);
        const bool asked = name.empty() ? benchmark.run != nullptr : benchmark.name == name;
        if (asked && !benchmark.run) {
            return fail(fmt::format("the benchmark {} is not there yet", name), ErrorKind::Usage);
        }
        if (asked) chosen.push_back(benchmark);
    }
    if (!chosen.empty()) return chosen;
    return fail(fmt::format("there is no benchmark “{}”; there are {}", name, fmt::join(names, ", ")),
                ErrorKind::Usage);
}

Json caseJson(const Case& one) {
    return {{"name", one.name},
            {"alpha", one.alpha},
            {"rows", one.rows},
            {"columns", one.columns},
            {"milliseconds", one.timing.ourSeconds * 1e3},
            {"peer_milliseconds", one.timing.peerSeconds * 1e3},
            {"ratio", one.timing.ratio},
            {"low", one.timing.low},
            {"high", one.timing.high}};
}

std::string reportText(const std::string& libtorch, const std::vector<Case>& cases) {
    std::string text = fmt::format("{}, one thread, LibTorch {}\n", processorName(), libtorch);
    for (const Case& one : cases) {
        text += fmt::format("{}, alpha {}, {} rows: {:.2f} times LibTorch's softmax (quartiles {:.2f} "
                            "and {:.2f}; {:.2f} and {:.2f} ms)\n",
                            one.name, one.alpha, one.rows, one.timing.ratio, one.timing.low, one.timing.high,
                            one.timing.ourSeconds * 1e3, one.timing.peerSeconds * 1e3);
    }
    return text;
}

Result<void> bench(const std::string& name, bool json, const RunControl& control) {
    const auto chosen = chosenBenchmarks(name);
    if (!chosen) return std::unexpected(chosen.error());
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    std::vector<Case> cases;
    for (const Benchmark& benchmark : *chosen) {
        const auto found = benchmark.run(**runtime, control);
        if (!found) return std::unexpected(found.error());
        cases.insert(cases.end(), found->begin(), found->end());
    }
    if (!json) return printText(reportText((*runtime)->version(), cases));
    Json list = Json::array();
    for (const Case& one : cases) list.push_back(caseJson(one));
    return printText(jsonLine(
        {{"cpu", processorName()}, {"threads", 1}, {"libtorch", (*runtime)->version()}, {"cases", list}}));
}

}  // namespace

int runBench(const Arguments& arguments) {
    std::string name;
    bool json = false;
    CLI::App parser("Timings of Fovea's own code, as ratios against LibTorch in the same run.",
                    "fovea bench");
    parser.add_option("NAME", name, "Which one; all when left out");
    parser.add_flag("--json", json, "Print one JSON object");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return bench(name, json, control); });
}

}  // namespace fovea::app
