// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "app/commands/json_output.h"
#include "app/commands/model_input.h"
#include "core/io/named_arrays.h"
#include "core/model/incomplete_error.h"
#include "core/model/model_folder.h"

namespace fovea::app {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string model;
    LoadOptions load;
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
            {"mismatched_shapes", shapes},
            {"missing_of_head", report.missingOfHead},
            {"left_out", report.leftOut}};
}

// What a model that reads pictures expects; null for others.
Json visionJson(const ModelInfo& info) {
    if (!info.vision) return nullptr;
    return {{"patch_size", info.vision->patchSize},
            {"image_size", {info.vision->imageHeight, info.vision->imageWidth}},
            {"prefix_tokens", info.vision->prefixTokens}};
}

// The second stack of a model that reads one sequence and writes another; null for others.
Json decoderJson(const ModelInfo& info) {
    if (!info.decoder) return nullptr;
    return {{"layers", info.decoder->layers},
            {"heads", info.decoder->heads},
            {"kv_heads", info.decoder->keyValueHeads},
            {"vocabulary_size", info.decoder->vocabularySize}};
}

Json infoJson(const ModelInfo& info) {
    return {{"name", info.name},
            {"format", info.format},
            {"model_type", info.modelType},
            {"architecture", info.architecture},
            {"layers", info.layers},
            {"heads", info.heads},
            {"kv_heads", info.keyValueHeads},
            {"decoder", decoderJson(info)},
            {"left_out_layers", info.leftOutLayers},
            {"hidden_size", info.hiddenSize},
            {"vocabulary_size", info.vocabularySize},
            {"max_positions", info.maxPositions},
            {"parameters", info.parameters},
            {"memory_bytes", info.weightBytes},
            {"generates", info.generates},
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
        text += fmt::format("{:<12} {}\n", "positions",
                            info.maxPositions > 0 ? std::to_string(info.maxPositions) : "without a limit");
    }
    if (!info.vision) return text;
    const VisionInfo& vision = *info.vision;
    text += fmt::format("{:<12} {} x {} (width x height), patches of {} x {}\n", "pictures",
                        vision.imageWidth, vision.imageHeight, vision.patchSize, vision.patchSize);
    text += fmt::format("{:<12} {}\n", "before them", fmt::join(vision.prefixTokens, ", "));
    return text;
}

std::string siteText(const ModelInfo& info) {
    std::string text = fmt::format("{:<12} {}\n", "sites", info.sites.size());
    for (const SiteKind kind : {SiteKind::Encoder, SiteKind::Decoder, SiteKind::Cross}) {
        std::vector<const Site*> ofKind;
        for (const Site& site : info.sites) {
            if (site.kind == kind) ofKind.push_back(&site);
        }
        if (ofKind.empty()) continue;
        const Site &first = *ofKind.front(), &last = *ofKind.back();
        const std::string names = ofKind.size() > 1 ? first.name + " to " + last.name : first.name;
        text += fmt::format("  {} {}: {}, {} heads\n", ofKind.size(), siteKindName(kind), names, first.heads);
    }
    return text;
}

std::string headsText(std::size_t layers, std::size_t heads, std::size_t keyValueHeads) {
    return fmt::format("{} layers of {} heads ({} for keys and values)", layers, heads, keyValueHeads);
}

std::string stackText(const ModelInfo& info) {
    const char* first = info.decoder ? "encoder" : "layers";
    std::string text =
        fmt::format("{:<12} {}\n", first, headsText(info.layers, info.heads, info.keyValueHeads));
    if (info.decoder) {
        const DecoderInfo& decoder = *info.decoder;
        text += fmt::format("{:<12} {}\n", "decoder",
                            headsText(decoder.layers, decoder.heads, decoder.keyValueHeads));
    }
    if (info.leftOutLayers > 0) text += fmt::format("{:<12} {} layers\n", "left out", info.leftOutLayers);
    return text;
}

// What must not be overlooked stands first.
std::string warningText(const ModelInfo& info) {
    const LoadReport& report = info.tensors;
    if (report.complete()) return {};
    if (model::headAloneIsMissing(report)) {
        return fmt::format(
            "WARNING: the head of {} is missing: its outputs would be random numbers. The body is "
            "complete, and its attention is right: open it alone with --body\n",
            info.architecture);
    }
    return fmt::format(
        "WARNING: {} of the tensors that {} needs are missing and {} have another shape: it cannot "
        "be run\n",
        report.missing.size(), info.architecture, report.mismatched.size());
}

std::string tensorText(const LoadReport& report) {
    std::string text = fmt::format("{:<12} {}\n", "used", report.used.size());
    text += namesText("missing", report.missing);
    text += namesText("unexpected", report.unexpected);
    if (!report.leftOut.empty()) text += fmt::format("{:<12} {}\n", "not asked for", report.leftOut.size());
    text += fmt::format("{:<12} {}\n", "mismatched", report.mismatched.size());
    for (const ShapeMismatch& tensor : report.mismatched) {
        text += fmt::format("  {}: expected {}, found {}\n", tensor.name, io::shapeText(tensor.expected),
                            io::shapeText(tensor.found));
    }
    return text;
}

std::string infoText(const ModelInfo& info) {
    constexpr double megabyte = 1e6;
    std::string text = warningText(info);
    text += fmt::format("{:<12} {}\n", "model", info.name);
    text += fmt::format("{:<12} {}, {}\n", "type", info.modelType, info.architecture);
    text += fmt::format("{:<12} {}, {}\n", "format", info.format, info.weightsFile.filename().string());
    text += stackText(info);
    text += fmt::format("{:<12} {}\n", "hidden size", info.hiddenSize);
    text += inputText(info);
    text += fmt::format("{:<12} {}\n", "parameters", info.parameters);
    text += fmt::format("{:<12} {:.1f} MB of weights in float32\n", "memory",
                        static_cast<double>(info.weightBytes) / megabyte);
    text += fmt::format("{:<12} {}\n", "outputs", fmt::join(info.outputs, ", "));
    return text + siteText(info) + tensorText(info.tensors);
}

Result<void> describe(const Options& options) {
    const auto info = model::describeFolder(options.model, options.load);
    if (!info) return std::unexpected(info.error());
    return printText(options.json ? jsonLine(infoJson(*info)) : infoText(*info));
}

}  // namespace

int runInfo(const Arguments& arguments) {
    Options options;
    CLI::App parser("What a model folder holds: its sites, sizes and tensors. Nothing is run.", "fovea info");
    parser.add_option("MODEL", options.model, "Model folder")->required();
    addLoadOptions(parser, options.load);
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl&) { return describe(options); });
}

}  // namespace fovea::app
