// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_folder.h"

#include <fmt/format.h>

#include "core/model/model_config.h"
#include "core/model/opened_folder.h"

namespace fovea::model {

namespace fs = std::filesystem;

namespace {

Result<fs::path> weightsFile(const fs::path& folder) {
    std::error_code ignored;
    const fs::path file = folder / "model.safetensors";
    if (fs::exists(file, ignored)) return file;
    for (const char* other :
         {"model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json"}) {
        if (!fs::exists(folder / other, ignored)) continue;
        return fail(
            fmt::format("{}: found {}, but only model.safetensors is read so far", folder.string(), other),
            ErrorKind::Unsupported);
    }
    return fail(
        fmt::format("{}: expected weights in model.safetensors, found no such file in the folder "
                    "(only model.safetensors is read so far)",
                    folder.string()));
}

std::vector<std::string> outputNames(const TransformerSettings& settings, const TensorMatch& match) {
    switch (settings.head) {
        case HeadKind::PreTraining: return {"prediction_logits", settings.pairOutput};
        case HeadKind::AnswerSpan: return {"start_logits", "end_logits"};
        default: break;
    }
    if (settings.head == HeadKind::Projection) return {"image_embeds", "last_hidden_state"};
    if (settings.head == HeadKind::ClassAndDistillationClassification)
        return {"logits", "cls_logits", "distillation_logits"};
    if (settings.head != HeadKind::None && !settings.embedding) return {"logits"};
    const bool pooled = settings.pool != PoolKind::DenseOfFirst ||
                        (match.has("pooler.weight") && match.has("pooler.bias"));
    std::vector<std::string> names{"last_hidden_state"};
    if (settings.decoder) names.emplace_back("encoder_last_hidden_state");
    if (pooled) names.emplace_back("pooler_output");
    if (settings.embedding) names.emplace_back("sentence_embedding");
    return names;
}

std::optional<VisionInfo> visionOf(const TransformerSettings& settings) {
    if (!settings.picture) return std::nullopt;
    const PictureSettings& picture = *settings.picture;
    return VisionInfo{picture.rows * picture.patchSize, picture.columns * picture.patchSize,
                      picture.patchSize, picture.prefixTokens};
}

std::string folderName(const fs::path& folder) {
    const fs::path whole = fs::absolute(folder).lexically_normal();
    return (whole.has_filename() ? whole : whole.parent_path()).filename().string();
}

void addSites(const char* stack, SiteKind kind, std::size_t layers, std::size_t heads, std::size_t keyHeads,
              std::vector<Site>& sites) {
    for (std::size_t i = 0; i < layers; ++i)
        sites.push_back({fmt::format("{}.{}", stack, i), kind, LayerIndex(i), heads, keyHeads});
}

std::vector<Site> sitesOf(const TransformerSettings& settings) {
    std::vector<Site> sites;
    const char* first = settings.decoder ? "encoder" : "layer";
    addSites(first, settings.siteKind, settings.layers, settings.heads, settings.keyValueHeads, sites);
    if (!settings.decoder) return sites;
    const DecoderSettings& decoder = *settings.decoder;
    addSites("decoder", SiteKind::Decoder, decoder.layers, decoder.heads, decoder.heads, sites);
    addSites("cross", SiteKind::Cross, decoder.layers, decoder.heads, decoder.heads, sites);
    return sites;
}

ModelInfo infoOf(const fs::path& folder, const TransformerSettings& settings, const TensorMatch& match) {
    ModelInfo info;
    info.folder = folder;
    info.name = folderName(folder);
    info.format = "safetensors";
    info.modelType = settings.modelType;
    info.architecture = settings.architecture;
    info.layers = settings.layers;
    info.heads = settings.heads;
    info.keyValueHeads = settings.keyValueHeads;
    info.hiddenSize = settings.hiddenSize;
    info.vocabularySize = settings.vocabularySize;
    info.maxPositions = settings.maxPositions;
    info.typeVocabularySize = settings.typeVocabularySize;
    info.parameters = match.parameters;
    info.sites = sitesOf(settings);
    if (settings.decoder) {
        const DecoderSettings& decoder = *settings.decoder;
        info.decoder = DecoderInfo{decoder.layers,
                                   decoder.heads,
                                   decoder.heads,
                                   decoder.vocabularySize,
                                   settings.generation.start,
                                   decoder.readsInput,
                                   settings.summaryToken()};
    }
    info.generates = settings.head == HeadKind::CausalLanguageModel;
    info.weightBytes = match.parameters * sizeof(float);
    info.tensors = match.report;
    info.outputs = outputNames(settings, match);
    info.labels = settings.labels;
    info.multiLabel = settings.multiLabel;
    info.vision = visionOf(settings);
    return info;
}

}  // namespace

Result<OpenedFolder> openFolder(const fs::path& folder, const LoadOptions&) {
    Result<TransformerSettings> settings = readSettings(folder);
    if (!settings) return std::unexpected(settings.error());
    const Result<fs::path> file = weightsFile(folder);
    if (!file) return std::unexpected(file.error());
    auto weights = io::SafetensorsFile::open(*file);
    if (!weights) return std::unexpected(weights.error());
    Result<TensorMatch> match = matchTensors(layoutOf(*settings), **weights);
    if (!match) return std::unexpected(match.error());
    ModelInfo info = infoOf(folder, *settings, *match);
    return OpenedFolder{std::move(*settings), std::move(*weights), std::move(*match), std::move(info)};
}

Result<ModelInfo> describeFolder(const fs::path& folder, const LoadOptions& options) {
    Result<OpenedFolder> opened = openFolder(folder, options);
    if (!opened) return std::unexpected(opened.error());
    return std::move(opened->info);
}

}  // namespace fovea::model
