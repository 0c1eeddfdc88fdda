// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/attend.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "app/commands/json_output.h"
#include "app/commands/output_path.h"
#include "core/io/numpy.h"
#include "core/mechanism/entmax.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

// Rows without entries take no bytes, so a header may claim any number of them.
constexpr std::size_t mostEmptyRows = std::size_t{1} << 24;

struct Options {
    std::string scores;
    std::string output;
    EntmaxParameters mechanism;
    bool fromWeights = false;
    bool json = false;
};

// What is told of the rows beside their weights.
struct Report {
    std::vector<std::size_t> support;
    std::vector<double> threshold;
    std::vector<double> entropy;
    double largestResidual = 0;
    std::vector<std::size_t> emptyRows;
    std::vector<std::size_t> invalidRows;
};

struct Workspace {
    std::vector<double> row;
    std::vector<double> weights;
    EntmaxWorkspace entmax;
};

template <class T>
Result<void> recoverScores(std::span<const T> row, std::size_t index, Workspace& workspace) {
    std::vector<double> weights(row.begin(), row.end());
    workspace.row.resize(row.size());
    for (const double weight : weights) {
        if (weight < 0 || std::isinf(weight)) {
            return fail(fmt::format("row {}: expected softmax weights, found {}", index, weight));
        }
    }
    const bool invalid = std::any_of(weights.begin(), weights.end(), [](double w) { return std::isnan(w); });
    if (invalid) {
        std::fill(workspace.row.begin(), workspace.row.end(), std::numeric_limits<double>::quiet_NaN());
    } else {
        scoresFromWeights(weights, EntmaxParameters{}, workspace.row);
    }
    return {};
}

// The row's weights in double, from its scores in the precision of the file.
template <class T>
Result<EntmaxRow> solveRow(std::span<const T> row, std::size_t index, const Options& options,
                           Workspace& workspace) {
    workspace.weights.resize(row.size());
    if (!options.fromWeights) return entmax(row, options.mechanism, workspace.weights, workspace.entmax);
    if (auto recovered = recoverScores(row, index, workspace); !recovered)
        return std::unexpected(recovered.error());
    return entmax(std::span<const double>(workspace.row), options.mechanism, workspace.weights,
                  workspace.entmax);
}

void note(const EntmaxRow& solution, std::size_t index, double sum, const Workspace& workspace,
          Report& report) {
    const bool ok = solution.state == RowState::Ok;
    report.support.push_back(solution.support);
    report.threshold.push_back(ok ? solution.threshold : std::numeric_limits<double>::quiet_NaN());
    report.entropy.push_back(shannonEntropy(workspace.weights));
    if (ok) report.largestResidual = std::max(report.largestResidual, std::abs(sum - 1));
    if (solution.state == RowState::Empty) report.emptyRows.push_back(index);
    if (solution.state == RowState::Invalid) report.invalidRows.push_back(index);
}

// Replaces the scores of `array` by their weights.
template <class T>
Result<Report> attendRows(io::Array<T>& array, const Options& options, const RunControl& control) {
    const std::size_t columns = array.shape.back();
    const std::size_t rows = io::elementCount(std::span(array.shape).first(array.shape.size() - 1));
    if (columns == 0 && rows > mostEmptyRows)
        return fail(fmt::format("{} rows without entries are too many", rows));
    Report report;
    Workspace workspace;
    for (std::size_t index = 0; index < rows; ++index) {
        const std::span<T> row(array.values.data() + index * columns, columns);
        const auto solution = solveRow(std::span<const T>(row), index, options, workspace);
        if (!solution) return std::unexpected(solution.error());
        double sum = 0;
        for (std::size_t i = 0; i < columns; ++i) {
            row[i] = static_cast<T>(workspace.weights[i]);
            sum += row[i];
        }
        note(*solution, index, sum, workspace, report);
        if (index % 1024 == 0) control.report("rows", static_cast<double>(index) / static_cast<double>(rows));
    }
    return report;
}

Json reportJson(const Report& report) {
    return {{"rows", report.support.size()},
            {"support", report.support},
            {"threshold", report.threshold},
            {"entropy", report.entropy},
            {"largest_residual", report.largestResidual},
            {"empty_rows", report.emptyRows},
            {"invalid_rows", report.invalidRows}};
}

std::string reportText(const Report& report, const Options& options) {
    std::string text = fmt::format("{}: {} rows\n", options.output, report.support.size());
    if (!report.support.empty()) {
        const auto [least, most] = std::minmax_element(report.support.begin(), report.support.end());
        text +=
            fmt::format("support {} to {}, largest residual {:.3g}\n", *least, *most, report.largestResidual);
    }
    if (!report.emptyRows.empty())
        text += fmt::format("{} rows are masked throughout\n", report.emptyRows.size());
    return text;
}

Result<io::FloatingArray> readScores(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension().string();
    if (ending == ".npz" || ending == ".safetensors") {
        return fail(fmt::format("{}: expected an npy file, found {}: it is not read yet", path, ending));
    }
    auto array = io::readNpy(path);
    if (!array) return array;
    const auto& shape = std::visit([](const auto& any) -> const auto& { return any.shape; }, *array);
    if (shape.empty())
        return fail(fmt::format("{}: expected at least one axis, found a single number", path));
    return array;
}

// An infinite temperature has no place in a model, but a row has a limit there: uniform where it is
// not masked.
Result<void> checkMechanism(EntmaxParameters mechanism) {
    if (mechanism.temperature == std::numeric_limits<double>::infinity()) mechanism.temperature = 1;
    if (auto valid = checked(mechanism); !valid) return std::unexpected(valid.error());
    return {};
}

Result<void> attend(const Options& options, const RunControl& control) {
    if (auto valid = checkMechanism(options.mechanism); !valid) return valid;
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    auto array = readScores(options.scores);
    if (!array) return std::unexpected(array.error());
    const auto report = std::visit([&](auto& any) { return attendRows(any, options, control); }, *array);
    if (!report)
        return fail(fmt::format("{}: {}", options.scores, report.error().message), report.error().kind);
    if (auto written = io::writeNpy(options.output, *array); !written) return written;
    if (!report->invalidRows.empty()) {
        printError("fovea attend",
                   fmt::format("{}: {} of {} rows hold NaN and are NaN in the result, the first is row {}",
                               options.scores, report->invalidRows.size(), report->support.size(),
                               report->invalidRows.front()));
    }
    return printText(options.json ? jsonLine(reportJson(*report)) : reportText(*report, options));
}

}  // namespace

int runAttend(const Arguments& arguments) {
    Options options;
    CLI::App parser("Attention weights of an array of scores: α-entmax along the last axis.", "fovea attend");
    parser.add_option("SCORES", options.scores, "npy file of float32 or float64; -1e30 and below is masked")
        ->required();
    parser.add_option("--alpha", options.mechanism.alpha,
                      "At least 1: 1 softmax (default), 2 sparsemax, inf argmax");
    parser.add_option("--temperature", options.mechanism.temperature,
                      "At least 0: divides the scores; 1 by default, 0 argmax, inf uniform");
    parser.add_flag("--weights", options.fromWeights,
                    "The array holds softmax weights: recover scores first");
    parser.add_option("-o,--output", options.output, "npy file to write, of the same shape and type")
        ->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    addLaterOptions(parser, {"array"});
    return runCommand(parser, arguments, [&](const RunControl& control) { return attend(options, control); });
}

}  // namespace fovea::app
