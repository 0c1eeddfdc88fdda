// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/memory.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "app/commands/json_output.h"
#include "app/commands/memory_input.h"
#include "app/commands/output_path.h"
#include "core/io/numpy.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

// Eigenvalues of a wider memory take seconds.
constexpr Eigen::Index widestSpectrum = 1024;

// Queries that the report in words has a line for; the file and JSON have all.
constexpr Eigen::Index mostQueriesTold = 10;

struct Options {
    MemoryFiles files;
    std::string output;
    bool json = false;
};

struct Answer {
    RowMatrixD memory;        // C
    RowMatrixD features;      // F
    RowMatrixD found;         // R
    RowMatrixD tokenWeights;  // W
};

struct Spectrum {
    double smallest = 0;
    double largest = 0;
};

Result<Answer> answerOf(const MemoryQuestion& question, const RunControl& control) {
    Answer answer;
    control.report("features", 0);
    answer.features = memoryFeatures(question.input.states, question.input.gate);
    control.report("memory", 0.3);
    LinearMemory memory(answer.features.cols());
    memory.append(answer.features, question.input.rates);
    answer.memory = memory.matrix();
    if (question.lookups) {
        control.report("lookups", 0.6);
        answer.found = memory.lookup(question.lookups->queries);
        answer.tokenWeights = memoryTokenWeights(answer.features, question.input.rates, *question.lookups);
    }
    const bool finite =
        answer.memory.allFinite() && answer.found.allFinite() && answer.tokenWeights.allFinite();
    if (finite) return answer;
    return fail("the memory or its lookups leave the range of double");
}

std::optional<Spectrum> spectrumOf(const RowMatrixD& memory) {
    if (memory.cols() > widestSpectrum) return std::nullopt;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(memory, Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success) return std::nullopt;
    return Spectrum{solver.eigenvalues()(0), solver.eigenvalues()(memory.cols() - 1)};
}

io::NpzEntry entryOf(std::string name, const RowMatrixD& matrix, bool oneRow = false) {
    io::Array<double> array{{static_cast<std::size_t>(matrix.cols())},
                            std::vector<double>(matrix.data(), matrix.data() + matrix.size())};
    if (!oneRow) array.shape.insert(array.shape.begin(), static_cast<std::size_t>(matrix.rows()));
    return {std::move(name), std::move(array)};
}

Result<void> write(const std::string& path, const Answer& answer, const MemoryQuestion& question) {
    std::vector<io::NpzEntry> entries{entryOf("C", answer.memory), entryOf("F", answer.features)};
    if (question.lookups) {
        entries.push_back(entryOf("R", answer.found, question.oneQuery));
        entries.push_back(entryOf("token_weights", answer.tokenWeights, question.oneQuery));
    }
    return io::writeNpz(path, entries);
}

// The token whose weight is largest by magnitude; none without tokens.
std::optional<Eigen::Index> strongestToken(const RowMatrixD& weights, Eigen::Index query) {
    if (weights.cols() == 0) return std::nullopt;
    Eigen::Index at = 0;
    weights.row(query).cwiseAbs().maxCoeff(&at);
    return at;
}

Json reportJson(const MemoryQuestion& question, const Answer& answer) {
    const auto spectrum = spectrumOf(answer.memory);
    Json tokens = Json::array(), weights = Json::array();
    for (Eigen::Index i = 0; i < answer.tokenWeights.rows(); ++i) {
        const auto token = strongestToken(answer.tokenWeights, i);
        tokens.push_back(token ? Json(*token) : Json());
        weights.push_back(token ? Json(answer.tokenWeights(i, *token)) : Json());
    }
    return {{"states", answer.features.rows()},
            {"width", answer.features.cols()},
            {"gated", question.input.gate.has_value()},
            {"queries", answer.found.rows()},
            {"trace", answer.memory.trace()},
            {"smallest_eigenvalue", spectrum ? Json(spectrum->smallest) : Json()},
            {"largest_eigenvalue", spectrum ? Json(spectrum->largest) : Json()},
            {"strongest_token", tokens},
            {"strongest_weight", weights}};
}

std::string reportText(const MemoryQuestion& question, const Answer& answer, const Options& options) {
    std::string text = fmt::format("{}: {}memory of {} states of width {}\n", options.output,
                                   question.input.gate ? "gated " : "", answer.features.rows(),
                                   answer.features.cols());
    if (const auto spectrum = spectrumOf(answer.memory))
        text += fmt::format("eigenvalues {:.4g} to {:.4g}\n", spectrum->smallest, spectrum->largest);
    const Eigen::Index queries = answer.tokenWeights.rows(), told = std::min(queries, mostQueriesTold);
    for (Eigen::Index i = 0; i < told; ++i) {
        if (const auto token = strongestToken(answer.tokenWeights, i))
            text += fmt::format("query {}: strongest weight {:.4g} at token {}\n", i,
                                answer.tokenWeights(i, *token), *token);
    }
    if (queries > told) text += fmt::format("and {} more queries\n", queries - told);
    return text;
}

Result<void> remember(const Options& options, const RunControl& control) {
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    const auto question = readMemoryQuestion(options.files);
    if (!question) return std::unexpected(question.error());
    const auto answer = answerOf(*question, control);
    if (!answer) return fail(fmt::format("{}: {}", options.files.states, answer.error().message));
    if (auto written = write(options.output, *answer, *question); !written) return written;
    return printText(options.json ? jsonLine(reportJson(*question, *answer))
                                  : reportText(*question, *answer, options));
}

}  // namespace

int runMemory(const Arguments& arguments) {
    Options options;
    CLI::App parser(
        "Fixed-size memory of linear attention: C = a C + b f f' at each token, looked up as C q.",
        "fovea memory");
    parser
        .add_option("--states", options.files.states,
                    "H, (tokens, width): npy, npz or safetensors of one array")
        ->required();
    auto* weight = parser.add_option("--gate-weight", options.files.gateWeight,
                                     "W, (width, width): F = sigmoid(W h + b) * h");
    auto* bias = parser.add_option("--gate-bias", options.files.gateBias, "b, (width)")->needs(weight);
    weight->needs(bias);
    parser.add_option("--decay", options.files.decay, "a, (tokens); 1 by default");
    parser.add_option("--input", options.files.input, "b of the memory, (tokens); 1 by default");
    parser.add_option("--query", options.files.query,
                      "Q, (queries, width) or one (width): looked up after the last token");
    parser.add_option("-o,--output", options.output,
                      "npz file to write: C, F, and with queries R and token_weights")
        ->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return remember(options, control); });
}

}  // namespace fovea::app
