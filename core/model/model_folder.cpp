// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/model_folder.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "core/model/model_config.h"
#include "core/model/model_place.h"
#include "core/model/opened_folder.h"
#include "core/model/sentence_modules.h"

namespace fovea::model {

namespace fs = std::filesystem;

namespace {

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

// Of settings cut to the layers that were asked for. Errors (usage): none of them, or more than there are.
Result<std::size_t> cutToFirstLayers(const fs::path& folder, std::size_t wanted,
                                     TransformerSettings& settings) {
    std::size_t most = settings.layers;
    if (settings.decoder) most = std::max(most, settings.decoder->layers);
    if (wanted == 0 || wanted > most) {
        return fail(fmt::format("{}: first layers: expected 1 to {}, the layers there are, found {}",
                                folder.string(), most, wanted),
                    ErrorKind::Usage);
    }
    const auto cut = [&](std::size_t& layers) {
        const std::size_t before = layers;
        layers = std::min(layers, wanted);
        return before - layers;
    };
    return cut(settings.layers) + (settings.decoder ? cut(settings.decoder->layers) : 0);
}

// What the files hold for layers or a head that were not asked for is known, and no surprise.
void leaveOut(const TensorMatch& whole, const std::string& bodyPrefix, bool bodyAlone, LoadReport& report) {
    const std::unordered_set<std::string> known(whole.report.used.begin(), whole.report.used.end());
    // Heads of kinds that are not known stand beside the body's names.
    const bool prefixed =
        !bodyPrefix.empty() &&
        std::ranges::any_of(report.used, [&](const auto& name) { return name.starts_with(bodyPrefix); });
    std::vector<std::string> unexpected;
    for (std::string& name : report.unexpected) {
        const bool ofHead = bodyAlone && prefixed && !name.starts_with(bodyPrefix);
        (known.contains(name) || ofHead ? report.leftOut : unexpected).push_back(std::move(name));
    }
    report.unexpected = std::move(unexpected);
}

Result<TensorMatch> matchWhatIsRead(const TransformerSettings& read, const TransformerSettings& whole,
                                    const LoadOptions& options, const io::TensorFiles& weights) {
    const TensorLayout layout = layoutOf(read);
    Result<TensorMatch> match = matchTensors(layout, weights);
    if (!match || (!options.firstLayers && !options.bodyAlone)) return match;
    const Result<TensorMatch> all = matchTensors(layoutOf(whole), weights);
    if (!all) return all;
    leaveOut(*all, layout.bodyPrefix, options.bodyAlone, match->report);
    return match;
}

ModelInfo infoOf(const ModelPlace& place, const TransformerSettings& settings, const TensorMatch& match,
                 const io::TensorFiles& weights) {
    ModelInfo info;
    info.folder = place.folder;
    info.name = place.name;
    info.format = weights.format();
    info.weightsFile = weights.path();
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

Result<OpenedFolder> openFolder(const fs::path& path, const LoadOptions& options) {
    const Result<ModelPlace> place = modelPlace(path);
    if (!place) return std::unexpected(place.error());
    std::error_code ignored;
    if (!fs::is_directory(place->folder, ignored) || !fs::exists(place->folder / "config.json", ignored))
        return std::unexpected(noModelError(place->folder));
    const Result<TransformerSettings> whole = readSettings(place->folder, false);
    Result<TransformerSettings> read = options.bodyAlone ? readSettings(place->folder, true) : whole;
    if (!read) return std::unexpected(read.error());
    std::size_t leftOutLayers = 0;
    if (options.firstLayers) {
        const Result<std::size_t> cut = cutToFirstLayers(place->folder, *options.firstLayers, *read);
        if (!cut) return std::unexpected(cut.error());
        leftOutLayers = *cut;
    }
    const fs::path file = weightsFile(place->folder);
    if (file.empty()) return std::unexpected(noModelError(place->folder));
    auto weights =
        file.extension() == ".json" ? io::TensorFiles::openIndex(file) : io::TensorFiles::openFile(file);
    if (!weights) return std::unexpected(weights.error());
    if (read->embedding) weights = withEmbeddingLayers(place->folder, *read->embedding, *weights);
    if (!weights) return std::unexpected(weights.error());
    // A head of an unknown kind does not keep the body from being opened.
    Result<TensorMatch> match = matchWhatIsRead(*read, whole ? *whole : *read, options, **weights);
    if (!match) return std::unexpected(match.error());
    ModelInfo info = infoOf(*place, *read, *match, **weights);
    info.leftOutLayers = leftOutLayers;
    return OpenedFolder{std::move(*read), std::move(*weights), std::move(*match), std::move(info)};
}

Result<ModelInfo> describeFolder(const fs::path& folder, const LoadOptions& options) {
    Result<OpenedFolder> opened = openFolder(folder, options);
    if (!opened) return std::unexpected(opened.error());
    return std::move(opened->info);
}

}  // namespace fovea::model
