// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/trace.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/commands/json_output.h"
#include "app/commands/model_input.h"
#include "app/commands/output_path.h"
#include "core/io/safetensors.h"
#include "core/session/evaluation.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    ModelOptions model;
    std::optional<double> alpha;
    std::optional<double> temperature;
    std::optional<std::string> sites;
    std::string output;
    bool json = false;
};

Result<std::vector<std::string>> patternsOf(const std::string& list) {
    std::vector<std::string> patterns = CLI::detail::split(list, ',');
    for (const std::string& pattern : patterns) {
        if (pattern.empty()) return fail(fmt::format("--sites {}: found an empty pattern", list), ErrorKind::Usage);
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

// "attention.3" for a model of one stack, else "encoder_attention.3" and the like.
std::string attentionName(const Site& site) {
    const std::string stack = site.name.substr(0, site.name.find('.'));
    const std::string prefix = stack == "layer" ? "" : stack + "_";
    return fmt::format("{}attention.{}", prefix, site.layer.value);
}

std::string maskText(const ScoreSource& scores) {
    const std::string kind = scores.maskKind() == MaskKind::Causal ? "causal" : "full";
    return scores.hasPadding() ? kind + ", padding" : kind;
}

Json piecesJson(const Trace& trace) {
    Json pieces = Json::array();
    for (const TokenLabel& token : trace.tokens) pieces.push_back(token.piece);
    return pieces;
}

// JSON text without the line's end.
std::string compactText(const Json& value) {
    std::string text = jsonLine(value);
    text.pop_back();
    return text;
}

void describe(const Trace& trace, const ModelInfo& info, const MechanismPlan& plan, io::Metadata& metadata) {
    Json masks = Json::object();
    Json mechanisms = Json::object();
    for (const AttentionRecord& record : trace.records) {
        masks[record.site.name] = maskText(*record.scores);
        mechanisms[record.site.name] = {{"alpha", record.applied.alpha}, {"temperature", record.applied.temperature}};
    }
    metadata["model"] = info.name;
    metadata["model_type"] = info.modelType;
    metadata["tokens"] = compactText(piecesJson(trace));
    metadata["mask_kinds"] = compactText(masks);
    metadata["mechanisms"] = compactText(mechanisms);
    metadata["alpha"] = fmt::format("{}", plan.mechanism.alpha);
    metadata["temperature"] = fmt::format("{}", plan.mechanism.temperature);
    metadata["sites"] = compactText(plan.sitePatterns);
}

Result<void> writeTrace(const Trace& trace, const ModelInfo& info, const MechanismPlan& plan,
                        const std::string& path, const RunControl& control) {
    io::SafetensorsWriter writer;
    for (const AttentionRecord& record : trace.records) {
        control.report(record.site.name, static_cast<double>(record.site.layer.value + 1) /
                                             static_cast<double>(trace.records.size()));
        const ScoreSource& scores = *record.scores;
        writer.add(attentionName(record.site), {scores.heads(), scores.queries(), scores.keys()},
                   session::recordedWeights(record));
    }
    for (const OutputArray& output : trace.outputs) writer.add(output.name, output.shape, output.values);
    describe(trace, info, plan, writer.metadata());
    return writer.write(path);
}

Json traceJson(const Trace& trace, const ModelInfo& info, const std::string& path) {
    Json sites = Json::array();
    for (const AttentionRecord& record : trace.records) {
        sites.push_back({{"name", record.site.name},
                         {"alpha", record.applied.alpha},
                         {"temperature", record.applied.temperature}});
    }
    Json outputs = Json::object();
    for (const OutputArray& output : trace.outputs) outputs[output.name] = output.shape;
    return {{"model", info.name}, {"tokens", piecesJson(trace)}, {"sites", sites}, {"outputs", outputs}, {"file", path}};
}

std::string traceText(const Trace& trace, const ModelInfo& info, const std::string& path) {
    std::string text = fmt::format("{}: {} tokens through {}, {} attention sites\n", path, trace.tokens.size(),
                                   info.name, trace.records.size());
    for (const OutputArray& output : trace.outputs) {
        text += fmt::format("  {} {}\n", output.name, io::shapeText(output.shape));
    }
    return text;
}

Result<void> traceModel(const Options& options, const RunControl& control) {
    if (auto writable = checkOutputPath(options.output); !writable) return writable;
    const auto ready = prepareInput(options.model);
    if (!ready) return std::unexpected(ready.error());
    const auto plan = planOf(options, ready->info);
    if (!plan) return std::unexpected(plan.error());
    const auto model = loadModel(*ready, control);
    if (!model) return std::unexpected(model.error());
    const auto trace = runModel(**model, *ready, *plan, control);
    if (!trace) return std::unexpected(trace.error());
    const auto written = writeTrace(**trace, ready->info, *plan, options.output, control);
    if (!written) return written;
    return printText(options.json ? jsonLine(traceJson(**trace, ready->info, options.output))
                                  : traceText(**trace, ready->info, options.output));
}

}  // namespace

int runTrace(const Arguments& arguments) {
    Options options;
    CLI::App parser("Runs a model and writes the attention of every site and its outputs.", "fovea trace");
    addModelOptions(parser, options.model);
    parser.add_option("--alpha", options.alpha, "Replace softmax inside the model by α-entmax, α at least 1");
    parser.add_option("--temperature", options.temperature, "Temperature inside the model, at least 0");
    parser.add_option("--sites", options.sites, "Where: globs over site names, comma-separated; all by default");
    parser.add_option("-o,--output", options.output, "safetensors file to write")->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl& control) { return traceModel(options, control); });
}

}  // namespace fovea::app
