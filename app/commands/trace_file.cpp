// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/trace_file.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/commands/json_output.h"
#include "core/io/safetensors.h"
#include "core/session/evaluation.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// "attention.3" for a model of one stack, else "encoder_attention.3" and the like.
std::string tensorName(const Site& site, std::string_view what) {
    const std::string stack = site.name.substr(0, site.name.find('.'));
    const std::string prefix = stack == "layer" ? "" : stack + "_";
    return fmt::format("{}{}.{}", prefix, what, site.layer.value);
}

std::string maskText(const ScoreSource& scores) {
    std::string kind = scores.maskKind() == MaskKind::Causal ? "causal" : "full";
    if (scores.window() > 0) kind += fmt::format(", window {}", scores.window());
    return scores.hasPadding() ? kind + ", padding" : kind;
}

// JSON text without the line's end.
std::string compactText(const Json& value) {
    std::string text = jsonLine(value);
    text.pop_back();
    return text;
}

class TraceWriter {
public:
    TraceWriter(const ModelInfo& info, const TraceFileOptions& options) : info_(info), options_(options) {}

    Result<void> add(const AttentionRecord& record) {
        masks_[record.site.name] = maskText(*record.scores);
        mechanisms_[record.site.name] = {{"alpha", record.applied.alpha},
                                         {"temperature", record.applied.temperature}};
        if (options_.queries) return addQueries(record);
        addWeights(record);
        return {};
    }

    void addRest(const Trace& trace, const session::PreparedInput& input, const MechanismPlan& plan,
                 const fs::path& path) {
        for (const OutputArray& output : trace.outputs) writer_.add(output.name, output.shape, output.values);
        const PixelValues& pixels = input.input.picture;
        if (!pixels.values.empty())
            writer_.add("pixel_values", {3, pixels.height, pixels.width}, pixels.values);
        const std::vector<std::int64_t>& ids = options_.generatedIds;
        if (!ids.empty())
            writer_.addBytes("generated_ids", io::ElementType::I64, {ids.size()},
                             std::as_bytes(std::span(ids)));
        describeRun(plan);
        describePositions(trace.tokens, "");
        if (!trace.targetTokens.empty()) describePositions(trace.targetTokens, "target_");
        if (input.grid) describePicture(*input.grid, input.picture.get(), path);
    }

    Result<void> write(const fs::path& path) const { return writer_.write(path); }

private:
    void addWeights(const AttentionRecord& record) {
        const ScoreSource& scores = *record.scores;
        addValues(tensorName(record.site, "attention"), {scores.heads(), scores.queries(), scores.keys()},
                  session::recordedWeights(record));
    }

    // In the precision that was asked for.
    void addValues(const std::string& name, const std::vector<std::size_t>& shape,
                   std::span<const float> values) {
        if (!options_.half) return writer_.add(name, shape, values);
        const std::vector<Eigen::half> halves(values.begin(), values.end());
        writer_.addBytes(name, io::ElementType::F16, shape, std::as_bytes(std::span(halves)));
    }

    Result<void> addQueries(const AttentionRecord& record) {
        const QueriesAndKeys* recorded = record.scores->recorded();
        if (!recorded || !recorded->relativeBias.empty()) {
            return fail(fmt::format(
                "{}: {}: the scores are not a product of queries and keys alone; --record weights "
                "writes its attention",
                info_.name, record.site.name));
        }
        const std::vector<std::size_t> queries{recorded->heads, recorded->queries, recorded->width};
        addValues(tensorName(record.site, "queries"), queries, recorded->queryValues);
        // Heads that share their keys are written each with its own.
        const std::size_t perKeyHead = recorded->heads / recorded->keyValueHeads;
        const std::size_t size = recorded->keys * recorded->width;
        std::vector<float> keys;
        keys.reserve(recorded->heads * size);
        for (std::size_t head = 0; head < recorded->heads; ++head) {
            const auto first =
                recorded->keyValues.begin() + static_cast<std::ptrdiff_t>(head / perKeyHead * size);
            keys.insert(keys.end(), first, first + static_cast<std::ptrdiff_t>(size));
        }
        addValues(tensorName(record.site, "keys"), {recorded->heads, recorded->keys, recorded->width}, keys);
        scales_[record.site.name] = recorded->scale;
        return {};
    }

    void describeRun(const MechanismPlan& plan) {
        io::Metadata& metadata = writer_.metadata();
        metadata["model"] = info_.name;
        metadata["model_type"] = info_.modelType;
        metadata["mask_kinds"] = compactText(masks_);
        metadata["mechanisms"] = compactText(mechanisms_);
        metadata["alpha"] = fmt::format("{}", plan.mechanism.alpha);
        metadata["temperature"] = fmt::format("{}", plan.mechanism.temperature);
        metadata["sites"] = compactText(plan.sitePatterns);
        if (scales_.empty()) return;
        const bool same = std::all_of(scales_.begin(), scales_.end(),
                                      [&](const Json& scale) { return scale == scales_.front(); });
        metadata["scale"] = compactText(same ? scales_.front() : scales_);
    }

    void describePositions(std::span<const TokenLabel> tokens, const std::string& whose) {
        Json pieces = Json::array();
        Json special = Json::array();
        Json mask = Json::array();
        Json words = Json::array();
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            pieces.push_back(tokens[i].piece);
            words.push_back(tokens[i].word ? static_cast<std::int64_t>(*tokens[i].word) : -1);
            if (tokens[i].special) special.push_back(i);
            mask.push_back(tokens[i].padding ? 0 : 1);
        }
        io::Metadata& metadata = writer_.metadata();
        metadata[whose + "tokens"] = compactText(pieces);
        metadata["special_" + whose + "tokens"] = compactText(special);
        const bool anyWord =
            std::ranges::any_of(tokens, [](const TokenLabel& t) { return t.word.has_value(); });
        if (anyWord) metadata[whose + "words"] = compactText(words);
        const bool padded =
            std::any_of(tokens.begin(), tokens.end(), [](const TokenLabel& t) { return t.padding; });
        if (padded) metadata[whose + "attention_mask"] = compactText(mask);
    }

    void describePicture(const PatchGrid& grid, const image::PreparedPicture* picture, const fs::path& path) {
        io::Metadata& metadata = writer_.metadata();
        metadata["grid"] = compactText(Json{grid.rows, grid.columns});
        if (picture) {
            const image::PixelRect& frame = picture->frame;
            metadata["frame"] = compactText(Json{frame.left, frame.top, frame.width, frame.height});
        }
        if (options_.picture) metadata["image"] = placeBeside(*options_.picture, path);
    }

    // A picture below the file's folder moves with it; any other has one absolute place.
    static std::string placeBeside(const fs::path& picture, const fs::path& path) {
        const fs::path file = fs::weakly_canonical(fs::absolute(picture));
        const fs::path folder = fs::weakly_canonical(fs::absolute(path)).parent_path();
        const fs::path relative = file.lexically_relative(folder);
        const bool below = !relative.empty() && *relative.begin() != "..";
        return (below ? relative : file).string();
    }

    const ModelInfo& info_;
    const TraceFileOptions& options_;
    io::SafetensorsWriter writer_;
    Json masks_ = Json::object();
    Json mechanisms_ = Json::object();
    Json scales_ = Json::object();
};

}  // namespace

Result<void> writeTraceFile(const Trace& trace, const ModelInfo& info, const MechanismPlan& plan,
                            const session::PreparedInput& input, const TraceFileOptions& options,
                            const fs::path& path, const RunControl& control) {
    TraceWriter writer(info, options);
    for (std::size_t i = 0; i < trace.records.size(); ++i) {
        const AttentionRecord& record = trace.records[i];
        control.report(record.site.name,
                       static_cast<double>(i + 1) / static_cast<double>(trace.records.size()));
        const bool wanted =
            options.layers.empty() ||
            std::ranges::find(options.layers, record.site.layer.value) != options.layers.end();
        if (!wanted) continue;
        if (auto added = writer.add(record); !added) return added;
    }
    writer.addRest(trace, input, plan, path);
    return writer.write(path);
}

}  // namespace fovea::app
