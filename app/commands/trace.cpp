// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/trace.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/json_output.h"
#include "app/commands/model_input.h"
#include "app/commands/output_path.h"
#include "app/commands/trace_file.h"
#include "core/io/named_arrays.h"
#include "widgets/view_models/model_run.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    ModelOptions model;
    std::optional<double> alpha;
    std::optional<double> temperature;
    std::optional<std::string> sites;
    std::optional<std::string> layers;
    std::string record = "weights";
    bool half = false;
    std::string output;
    bool json = false;
};

Result<std::vector<std::string>> patternsOf(const std::string& list) {
    std::vector<std::string> patterns = CLI::detail::split(list, ',');
    for (const std::string& pattern : patterns) {
        if (pattern.empty())
            return fail(fmt::format("--sites {}: found an empty pattern", list), ErrorKind::Usage);
    }
    return patterns;
}

Result<MechanismPlan> planOf(const Options& options, const ModelInfo& info) {
    if (!options.alpha && !options.temperature) {
        if (options.sites) return fail("--sites needs --alpha or --temperature", ErrorKind::Usage);
        return MechanismPlan{};
    }
    const EntmaxParameters mechanism{options.alpha.value_or(1.0), options.temperature.value_or(1.0)};
    const auto patterns = patternsOf(options.sites.value_or("*"));
    if (!patterns) return std::unexpected(patterns.error());
    return checked(MechanismPlan{*patterns, mechanism}, info.sites);
}

Json piecesJson(std::span<const TokenLabel> tokens) {
    Json pieces = Json::array();
    for (const TokenLabel& token : tokens) pieces.push_back(token.piece);
    return pieces;
}

// Layers of --layers; none: all.
Result<std::vector<std::size_t>> layersOf(const Options& options, const ModelInfo& info) {
    std::vector<std::size_t> layers;
    if (!options.layers) return layers;
    for (const std::string& word : CLI::detail::split(*options.layers, ',')) {
        std::size_t layer = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), layer);
        if (error != std::errc() || end != word.data() + word.size()) {
            return fail(fmt::format("--layers {}: expected numbers from 0, comma-separated; found “{}”",
                                    *options.layers, word),
                        ErrorKind::Usage);
        }
        const std::size_t most = std::max(info.layers, info.decoder ? info.decoder->layers : 0);
        if (layer >= most) {
            return fail(fmt::format("{}: --layers: expected layers below {}, found {}", options.model.model,
                                    most, layer));
        }
        layers.push_back(layer);
    }
    return layers;
}

Result<TraceFileOptions> fileOptionsOf(const Options& options, const ModelInfo& info) {
    TraceFileOptions file;
    file.queries = options.record == "queries";
    file.half = options.half;
    auto layers = layersOf(options, info);
    if (!layers) return std::unexpected(layers.error());
    file.layers = std::move(*layers);
    if (options.model.image) file.picture = *options.model.image;
    return file;
}

Json traceJson(const Trace& trace, const ModelInfo& info, const std::optional<Writing>& wrote,
               const std::string& path) {
    Json sites = Json::array();
    for (const AttentionRecord& record : trace.records) {
        sites.push_back({{"name", record.site.name},
                         {"alpha", record.applied.alpha},
                         {"temperature", record.applied.temperature}});
    }
    Json outputs = Json::object();
    for (const OutputArray& output : trace.outputs) outputs[output.name] = output.shape;
    Json json{{"model", info.name},
              {"tokens", piecesJson(trace.tokens)},
              {"sites", sites},
              {"outputs", outputs},
              {"file", path}};
    if (!trace.targetTokens.empty()) json["target_tokens"] = piecesJson(trace.targetTokens);
    if (wrote) {
        json["generated_ids"] = wrote->ids;
        json["generated_text"] = wrote->text;
    }
    if (trace.grid) json["grid"] = {trace.grid->rows, trace.grid->columns};
    return json;
}

std::string traceText(const Trace& trace, const ModelInfo& info, const std::optional<Writing>& wrote,
                      const std::string& path) {
    std::string text = fmt::format("{}: {} tokens through {}, {} attention sites\n", path,
                                   trace.tokens.size(), info.name, trace.records.size());
    for (const OutputArray& output : trace.outputs) {
        text += fmt::format("  {} {}\n", output.name, io::shapeText(output.shape));
    }
    if (wrote) text += wrote->text + "\n";
    return text;
}

Result<void> traceModel(const Options& options, const RunControl& control) {
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    auto ready = prepareInput(options.model);
    if (!ready) return std::unexpected(ready.error());
    if (!ready->remark.empty()) printError("fovea trace", ready->remark);
    const auto plan = planOf(options, ready->info);
    if (!plan) return std::unexpected(plan.error());
    auto file = fileOptionsOf(options, ready->info);
    if (!file) return std::unexpected(file.error());
    const auto model = loadModel(*ready, control);
    if (!model) return std::unexpected(model.error());
    const auto wrote =
        letWrite(**model, ready->tokenizer.get(), ready->writing, *plan, ready->prepared, control);
    if (!wrote) return std::unexpected(wrote.error());
    if (*wrote) file->generatedIds = (*wrote)->ids;
    const auto trace = widgets::labelledRun(**model, ready->prepared, *plan, control);
    if (!trace) return std::unexpected(trace.error());
    const auto written =
        writeTraceFile(**trace, ready->info, *plan, ready->prepared, *file, options.output, control);
    if (!written) return written;
    return printText(options.json ? jsonLine(traceJson(**trace, ready->info, *wrote, options.output))
                                  : traceText(**trace, ready->info, *wrote, options.output));
}

}  // namespace

int runTrace(const Arguments& arguments) {
    Options options;
    CLI::App parser("Runs a model and writes the attention of every site and its outputs.", "fovea trace");
    addModelOptions(parser, options.model);
    parser.add_option("--alpha", options.alpha, "Replace softmax inside the model by α-entmax, α at least 1");
    parser.add_option("--temperature", options.temperature, "Temperature inside the model, at least 0");
    parser.add_option("--sites", options.sites,
                      "Where: globs over site names, comma-separated; all by default");
    parser
        .add_option("--record", options.record,
                    "weights (default), or queries: queries and keys of every site")
        ->check(CLI::IsMember({"weights", "queries"}));
    parser.add_option("--layers", options.layers,
                      "Write these layers alone: numbers from 0, comma-separated");
    parser.add_flag("--half", options.half, "Write the attention, or queries and keys, in float16");
    parser.add_option("-o,--output", options.output, "safetensors file to write")->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return traceModel(options, control); });
}

}  // namespace fovea::app
