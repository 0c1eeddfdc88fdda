// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/attend.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "app/commands/json_output.h"
#include "app/commands/output_path.h"
#include "core/io/array_conversion.h"
#include "core/io/array_file.h"
#include "core/io/memory_room.h"
#include "core/io/numpy.h"
#include "core/mechanism/entmax.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

// Rows without entries take no bytes, so a header may claim any number of them.
constexpr std::size_t mostEmptyRows = std::size_t{1} << 24;

struct Options {
    std::string scores;
    std::optional<std::string> array;
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

// The array's last axis holds the rows' entries.
struct Rows {
    std::size_t count = 0;
    std::size_t columns = 0;
};

Rows rowsOf(const std::vector<std::size_t>& shape) {
    return {io::elementCount(std::span(shape).first(shape.size() - 1)), shape.back()};
}

// bfloat16 is no type of NumPy's.
io::ElementType resultType(io::ElementType type) {
    return type == io::ElementType::BF16 ? io::ElementType::F32 : type;
}

// From softmax weights to scores, in place.
Result<void> recoverScores(std::size_t index, std::vector<double>& row) {
    for (const double weight : row) {
        if (weight < 0 || std::isinf(weight)) {
            return fail(fmt::format("row {}: expected softmax weights, found {}", index, weight));
        }
    }
    if (std::any_of(row.begin(), row.end(), [](double weight) { return std::isnan(weight); })) {
        std::fill(row.begin(), row.end(), std::numeric_limits<double>::quiet_NaN());
        return {};
    }
    const std::vector<double> weights = row;
    scoresFromWeights(weights, EntmaxParameters{}, row);
    return {};
}

void note(const EntmaxRow& solution, std::size_t index, double entropy, double residual, Report& report) {
    const bool ok = solution.state == RowState::Ok;
    report.support.push_back(solution.support);
    report.threshold.push_back(ok ? solution.threshold : std::numeric_limits<double>::quiet_NaN());
    report.entropy.push_back(entropy);
    if (ok) report.largestResidual = std::max(report.largestResidual, std::abs(residual));
    if (solution.state == RowState::Empty) report.emptyRows.push_back(index);
    if (solution.state == RowState::Invalid) report.invalidRows.push_back(index);
}

// One row from the scores to the bytes of its weights.
Result<void> attendRow(const io::ArrayView& scores, std::size_t index, const Options& options,
                       Workspace& workspace, std::span<std::byte> target, Report& report) {
    io::readElements(scores, index * workspace.row.size(), workspace.row);
    if (options.fromWeights) {
        if (auto recovered = recoverScores(index, workspace.row); !recovered) return recovered;
    }
    const EntmaxRow solution = entmax(std::span<const double>(workspace.row), options.mechanism,
                                      workspace.weights, workspace.entmax);
    const double entropy = shannonEntropy(workspace.weights);
    io::storeElements(workspace.weights, resultType(scores.type), target);
    const double sum = std::accumulate(workspace.weights.begin(), workspace.weights.end(), 0.0);
    note(solution, index, entropy, sum - 1, report);
    return {};
}

// The weights' bytes and the report of all rows must be held at once.
Result<void> checkSize(const io::ArrayView& scores, const Options& options) {
    constexpr double reportBytes = 160;  // of a row, with its text
    constexpr double workspaceBytes = 48;
    const Rows rows = rowsOf(scores.shape);
    if (rows.count == 0) return {};
    if (rows.columns == 0 && rows.count > mostEmptyRows) {
        return fail(fmt::format("{}: {} rows without entries are too many", options.scores, rows.count));
    }
    const double outputBytes = static_cast<double>(io::elementCount(scores.shape)) *
                               static_cast<double>(io::elementSize(resultType(scores.type)));
    const double bytes = outputBytes + reportBytes * static_cast<double>(rows.count) +
                         workspaceBytes * static_cast<double>(rows.columns);
    return io::checkFitsMemory(fmt::format("{}: shape {}", options.scores, io::shapeText(scores.shape)),
                               static_cast<std::size_t>(bytes));
}

// Fills `bytes` with the weights of every row.
Result<Report> attendRows(const io::ArrayView& scores, const Options& options, const RunControl& control,
                          std::vector<std::byte>& bytes) {
    const Rows rows = rowsOf(scores.shape);
    const std::size_t rowBytes = rows.columns * io::elementSize(resultType(scores.type));
    Report report;
    if (rows.count == 0) return report;  // whatever the length that a row would have
    bytes.resize(rows.count * rowBytes);
    Workspace workspace;
    workspace.row.resize(rows.columns);
    workspace.weights.resize(rows.columns);
    for (std::size_t index = 0; index < rows.count; ++index) {
        const auto target = std::span(bytes).subspan(index * rowBytes, rowBytes);
        if (auto done = attendRow(scores, index, options, workspace, target, report); !done)
            return fail(fmt::format("{}: {}", options.scores, done.error().message), done.error().kind);
        if (index % 1024 == 0)
            control.report("rows", static_cast<double>(index) / static_cast<double>(rows.count));
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
        text += fmt::format("rows masked throughout: {}\n", report.emptyRows.size());
    return text;
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
    const auto file = io::readArrayFile(options.scores, options.array);
    if (!file) return std::unexpected(file.error());
    const auto array = io::floatingArray(*file, options.array);
    if (!array) return std::unexpected(array.error());
    const io::ArrayView& scores = (*array)->numbers;
    if (scores.shape.empty()) {
        return fail(fmt::format("{}: expected at least one axis, found a single number", options.scores));
    }
    if (auto fits = checkSize(scores, options); !fits) return fits;
    std::vector<std::byte> bytes;
    const auto report = attendRows(scores, options, control, bytes);
    if (!report) return std::unexpected(report.error());
    const io::ArrayView weights{resultType(scores.type), scores.shape, bytes};
    if (auto written = io::writeNpy(options.output, weights); !written) return written;
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
    CLI::App parser("Attention weights of an array of scores: α-entmax along the last axis.",
                    "fovea attend");
    parser
        .add_option("SCORES", options.scores,
                    "npy, npz or safetensors file of float16, bfloat16, float32 or float64; -1e30 and below "
                    "is masked")
        ->required();
    parser.add_option("--array", options.array,
                      "Which array of the file, by name; needed where it holds several");
    parser.add_option("--alpha", options.mechanism.alpha,
                      "At least 1: 1 softmax (default), 2 sparsemax, inf argmax");
    parser.add_option("--temperature", options.mechanism.temperature,
                      "At least 0: divides the scores; 1 by default, 0 argmax, inf uniform");
    parser.add_flag("--weights", options.fromWeights,
                    "The array holds softmax weights: recover scores first");
    parser
        .add_option("-o,--output", options.output,
                    "npy file to write, of the same shape and type (bfloat16: float32)")
        ->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl& control) { return attend(options, control); });
}

}  // namespace fovea::app
