// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/decoder_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace fovea::model {

namespace {

class Builder {
public:
    Builder(const TransformerSettings& settings, const DecoderNames& names)
        : settings_(settings), names_(names) {}

    TensorLayout make() && {
        layout_.bodyPrefix = names_.prefix;
        layout_.ignored.assign(names_.ignored.begin(), names_.ignored.end());
        const bool tied = settings_.head == HeadKind::CausalLanguageModel && settings_.tiedEmbeddings;
        add("word.weight", wordName(), {settings_.vocabularySize, settings_.hiddenSize});
        if (tied) layout_.slots.back().names.push_back(headName());
        if (settings_.positions == PositionKind::LearnedTable) {
            add("position.weight", inBody(names_.position) + ".weight",
                {settings_.maxPositions, settings_.hiddenSize});
        }
        for (std::size_t i = 0; i < settings_.layers; ++i) addLayer(i);
        addNorm("final_norm", inBody(names_.finalNorm), settings_.hiddenSize);
        addHead(tied);
        return std::move(layout_);
    }

private:
    std::string inBody(const char* name) const { return std::string(names_.prefix) + name; }
    std::string wordName() const { return inBody(names_.word) + ".weight"; }
    std::string headName() const { return std::string(names_.head) + ".weight"; }

    void add(std::string role, std::string name, std::vector<std::size_t> shape) {
        layout_.slots.push_back({std::move(role), {std::move(name)}, std::move(shape)});
    }

    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  bool bias) {
        if (names_.transposed) add(role + ".weight", name + ".weight", {columns, rows});
        else add(role + ".weight", name + ".weight", {rows, columns});
        layout_.slots.back().transposed = names_.transposed;
        if (bias) add(role + ".bias", name + ".bias", {rows});
    }

    void addNorm(const std::string& role, const std::string& name, std::size_t width) {
        add(role + ".weight", name + ".weight", {width});
        if (settings_.norm == NormKind::LayerNorm) add(role + ".bias", name + ".bias", {width});
    }

    void addProjections(const std::string& role, const std::string& name) {
        const std::size_t hidden = settings_.hiddenSize;
        const std::size_t wide = settings_.heads * settings_.headWidth;
        const std::size_t narrow = settings_.keyValueHeads * settings_.headWidth;
        const bool bias = settings_.queryKeyValueBias;
        if (settings_.fusedProjection != FusedProjection::None) {
            addDense(role + "query_key_value", name + names_.fused, 3 * wide, hidden, bias);
        } else {
            addDense(role + "query", name + names_.query, wide, hidden, bias);
            addDense(role + "key", name + names_.key, narrow, hidden, bias);
            addDense(role + "value", name + names_.value, narrow, hidden, bias);
        }
        addDense(role + "output", name + names_.output, hidden, wide, settings_.attentionOutputBias);
        if (!settings_.queryKeyNorm) return;
        addNorm(role + "query_norm", name + names_.queryNorm, settings_.headWidth);
        addNorm(role + "key_norm", name + names_.keyNorm, settings_.headWidth);
    }

    void addLayer(std::size_t index) {
        const std::size_t hidden = settings_.hiddenSize, inner = settings_.intermediateSize;
        const std::string role = fmt::format("layer.{}.", index);
        const std::string name = fmt::format("{}{}{}.", names_.prefix, names_.layers, index);
        addProjections(role, name);
        if (settings_.gatedMlp) addDense(role + "gate", name + names_.gate, inner, hidden, settings_.mlpBias);
        addDense(role + "up", name + names_.up, inner, hidden, settings_.mlpBias);
        addDense(role + "down", name + names_.down, hidden, inner, settings_.mlpBias);
        addNorm(role + "attention_norm", name + names_.attentionNorm, hidden);
        addNorm(role + "mlp_norm", name + names_.mlpNorm, hidden);
    }

    void addHead(bool tied) {
        const std::size_t hidden = settings_.hiddenSize;
        if (settings_.head == HeadKind::CausalLanguageModel)
            add("head.weight", headName(), {settings_.vocabularySize, hidden});
        if (tied) {
            layout_.slots.back().names.push_back(wordName());
            layout_.slots.back().shared = true;
        }
        if (settings_.head == HeadKind::SequenceClassification)
            add("classifier.weight", "score.weight", {settings_.labels.size(), hidden});
        if (settings_.head == HeadKind::TokenClassification) {
            const std::string name = names_.tokenClassifier;
            add("classifier.weight", name + ".weight", {settings_.labels.size(), hidden});
            add("classifier.bias", name + ".bias", {settings_.labels.size()});
        }
    }

    const TransformerSettings& settings_;
    const DecoderNames& names_;
    TensorLayout layout_;
};

}  // namespace

void setDecoder(ConfigReader& config, TransformerSettings& settings) {
    settings.siteKind = SiteKind::Decoder;
    settings.maskKind = MaskKind::Causal;
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.finalNorm = true;
    if (settings.head != HeadKind::SequenceClassification) return;
    settings.pool = PoolKind::LastToken;
    const std::vector<std::int64_t> padding = config.integers("pad_token_id");
    if (!padding.empty()) settings.paddingId = padding.front();
}

void setRotary(ConfigReader& config, TransformerSettings& settings, RotaryShare kind) {
    settings.positions = PositionKind::Rotary;
    settings.rotary = readRotary(config, settings, kind);
    if (settings.rotary.scaling != RotaryScaling::Dynamic) return;
    const double longest = static_cast<double>(settings.maxPositions) * settings.rotary.factor;
    settings.maxPositions = static_cast<std::size_t>(std::min(longest, static_cast<double>(largestSize)));
}

TensorLayout decoderLayout(const TransformerSettings& settings, const DecoderNames& names) {
    return Builder(settings, names).make();
}

}  // namespace fovea::model
