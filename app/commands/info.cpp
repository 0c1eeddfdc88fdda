// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/commands/json_output.h"
#include "core/io/named_arrays.h"
#include "core/model/model_folder.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string model;
    bool json = false;
};

Json sitesJson(const ModelInfo& info) {
    Json sites = Json::array();
    for (const Site& site : info.sites) {
        sites.push_back({{"name", site.name},
                         {"kind", siteKindName(site.kind)},
                         {"layer", site.layer.value},
                         {"heads", site.heads}});
    }
    return sites;
}

Json tensorsJson(const LoadReport& report) {
    Json mismatched = Json::array();
    Json shapes = Json::object();
    for (const ShapeMismatch& tensor : report.mismatched) {
        mismatched.push_back(tensor.name);
        shapes[tensor.name] = {{"expected", tensor.expected}, {"found", tensor.found}};
    }
    return {{"used", report.used},
            {"missing", report.missing},
            {"unexpected", report.unexpected},
            {"mismatched", mismatched},
            {"mismatched_shapes", shapes}};
}

// What a model that reads pictures expects; null for others.
Json visionJson(const ModelInfo& info) {
    if (!info.vision) return nullptr;
    return {{"patch_size", info.vision->patchSize},
            {"image_size", {info.vision->imageHeight, info.vision->imageWidth}},
            {"prefix_tokens", info.vision->prefixTokens}};
}

Json infoJson(const ModelInfo& info) {
    return {{"format", info.format},
            {"model_type", info.modelType},
            {"architecture", info.architecture},
            {"layers", info.layers},
            {"heads", info.heads},
            {"kv_heads", info.keyValueHeads},
            {"hidden_size", info.hiddenSize},
            {"vocabulary_size", info.vocabularySize},
            {"max_positions", info.maxPositions},
            {"parameters", info.parameters},
            {"sites", sitesJson(info)},
            {"tensors", tensorsJson(info.tensors)},
            {"outputs", info.outputs},
            {"labels", info.labels},
            {"multi_label", info.multiLabel},
            {"vision", visionJson(info)}};
}

std::string namesText(std::string_view title, const std::vector<std::string>& names) {
    std::string text = fmt::format("{:<12} {}\n", title, names.size());
    for (const std::string& name : names) text += fmt::format("  {}\n", name);
    return text;
}

std::string inputText(const ModelInfo& info) {
    std::string text;
    if (info.readsText()) {
        text += fmt::format("{:<12} {}\n", "vocabulary", info.vocabularySize);
        text += fmt::format("{:<12} {}\n", "positions", info.maxPositions);
    }
    if (!info.vision) return text;
    const VisionInfo& vision = *info.vision;
    text += fmt::format("{:<12} {} x {} (width x height), patches of {} x {}\n", "pictures",
                        vision.imageWidth, vision.imageHeight, vision.patchSize, vision.patchSize);
    text += fmt::format("{:<12} {}\n", "before them", fmt::join(vision.prefixTokens, ", "));
    return text;
}

std::string infoText(const ModelInfo& info) {
    std::string text = fmt::format("{:<12} {}\n", "model", info.name);
    text += fmt::format("{:<12} {}, {}\n", "type", info.modelType, info.architecture);
    text += fmt::format("{:<12} {}\n", "format", info.format);
    text += fmt::format("{:<12} {}\n", "layers", info.layers);
    text += fmt::format("{:<12} {} ({} for keys and values)\n", "heads", info.heads, info.keyValueHeads);
    text += fmt::format("{:<12} {}\n", "hidden size", info.hiddenSize);
    text += inputText(info);
    text += fmt::format("{:<12} {}\n", "parameters", info.parameters);
    text += fmt::format("{:<12} {}\n", "outputs", fmt::join(info.outputs, ", "));
    text += fmt::format("{:<12} {}\n", "sites", info.sites.size());
    for (const Site& site : info.sites) text += fmt::format("  {}, {} heads\n", site.name, site.heads);
    text += fmt::format("{:<12} {}\n", "used", info.tensors.used.size());
    text += namesText("missing", info.tensors.missing);
    text += namesText("unexpected", info.tensors.unexpected);
    text += fmt::format("{:<12} {}\n", "mismatched", info.tensors.mismatched.size());
    for (const ShapeMismatch& tensor : info.tensors.mismatched) {
        text += fmt::format("  {}: expected {}, found {}\n", tensor.name, io::shapeText(tensor.expected),
                            io::shapeText(tensor.found));
    }
    return text;
}

Result<void> describe(const Options& options) {
    const auto info = model::describeFolder(options.model);
    if (!info) return std::unexpected(info.error());
    return printText(options.json ? jsonLine(infoJson(*info)) : infoText(*info));
}

}  // namespace

int runInfo(const Arguments& arguments) {
    Options options;
    CLI::App parser("What a model folder holds: its sites, sizes and tensors. Nothing is run.", "fovea info");
    parser.add_option("MODEL", options.model, "Model folder")->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl&) { return describe(options); });
}

}  // namespace fovea::app
