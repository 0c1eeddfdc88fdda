// SPDX-License-Identifier: GPL-3.0-or-later
// Llama: a causal decoder with rotary positions, grouped queries, a gated MLP and norms before blocks.
#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> architectures[] = {
    {"LlamaModel", HeadKind::None},
    {"LlamaForCausalLM", HeadKind::CausalLanguageModel},
};

void readHeads(ConfigReader& config, TransformerSettings& settings) {
    settings.keyValueHeads = config.size("num_key_value_heads", settings.heads);
    if (settings.heads % settings.keyValueHeads != 0) {
        config.failWith("num_key_value_heads",
                        fmt::format("a number that divides num_attention_heads {}", settings.heads),
                        settings.keyValueHeads);
    }
    // An empty width (more heads than hidden units) was refused with the heads that do not divide.
    settings.headWidth =
        config.size("head_dim", std::max<std::size_t>(settings.hiddenSize / settings.heads, 1));
    if (settings.headWidth % 2 != 0) {
        config.failWith("head_dim", "an even number, for rotary positions", settings.headWidth);
    }
}

void readKeys(ConfigReader& config, TransformerSettings& settings) {
    readCommonKeys(config,
                   {.vocabularySize = 32000,
                    .hiddenSize = 4096,
                    .layers = 32,
                    .heads = 32,
                    .intermediateSize = 11008,
                    .maxPositions = 2048,
                    .activation = "silu",
                    .tiedEmbeddings = false},
                   settings);
    readHeads(config, settings);
    settings.siteKind = SiteKind::Decoder;
    settings.maskKind = MaskKind::Causal;
    settings.positions = PositionKind::Rotary;
    settings.rotary = readRotary(config, settings.maxPositions);
    settings.gatedMlp = true;
    settings.norm = NormKind::RootMeanSquare;
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.normEpsilon = config.positive("rms_norm_eps", 1e-6, true);
    settings.finalNorm = true;
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", false);
    settings.mlpBias = config.flag("mlp_bias", false);
}

class Layout {
public:
    explicit Layout(const TransformerSettings& settings) : settings_(settings) {}

    TensorLayout make() && {
        layout_.bodyPrefix = "model.";
        layout_.ignored = {"*rotary_emb.inv_freq"};
        const bool languageModel = settings_.head == HeadKind::CausalLanguageModel;
        const bool tied = languageModel && settings_.tiedEmbeddings;
        add("word.weight", wordName, {settings_.vocabularySize, settings_.hiddenSize});
        if (tied) layout_.slots.back().names.push_back(headName);
        for (std::size_t i = 0; i < settings_.layers; ++i) addLayer(i);
        add("final_norm.weight", "model.norm.weight", {settings_.hiddenSize});
        if (languageModel) add("head.weight", headName, {settings_.vocabularySize, settings_.hiddenSize});
        if (tied) {
            layout_.slots.back().names.push_back(wordName);
            layout_.slots.back().shared = true;
        }
        return std::move(layout_);
    }

private:
    void add(std::string role, std::string name, std::vector<std::size_t> shape) {
        layout_.slots.push_back({std::move(role), {std::move(name)}, std::move(shape)});
    }

    void addDense(const std::string& role, const std::string& name, std::size_t rows, std::size_t columns,
                  bool bias) {
        add(role + ".weight", name + ".weight", {rows, columns});
        if (bias) add(role + ".bias", name + ".bias", {rows});
    }

    void addLayer(std::size_t index) {
        const std::size_t hidden = settings_.hiddenSize;
        const std::size_t wide = settings_.heads * settings_.headWidth;
        const std::size_t narrow = settings_.keyValueHeads * settings_.headWidth;
        const std::string role = fmt::format("layer.{}.", index);
        const std::string name = fmt::format("model.layers.{}.", index);
        addDense(role + "query", name + "self_attn.q_proj", wide, hidden, settings_.queryKeyValueBias);
        addDense(role + "key", name + "self_attn.k_proj", narrow, hidden, settings_.queryKeyValueBias);
        addDense(role + "value", name + "self_attn.v_proj", narrow, hidden, settings_.queryKeyValueBias);
        addDense(role + "output", name + "self_attn.o_proj", hidden, wide, settings_.attentionOutputBias);
        addDense(role + "gate", name + "mlp.gate_proj", settings_.intermediateSize, hidden,
                 settings_.mlpBias);
        addDense(role + "up", name + "mlp.up_proj", settings_.intermediateSize, hidden, settings_.mlpBias);
        addDense(role + "down", name + "mlp.down_proj", hidden, settings_.intermediateSize,
                 settings_.mlpBias);
        add(role + "attention_norm.weight", name + "input_layernorm.weight", {hidden});
        add(role + "mlp_norm.weight", name + "post_attention_layernorm.weight", {hidden});
    }

    static constexpr const char* wordName = "model.embed_tokens.weight";
    static constexpr const char* headName = "lm_head.weight";
    const TransformerSettings& settings_;
    TensorLayout layout_;
};

}  // namespace

const ModelFamily llamaFamily{"llama", architectures, readKeys,
                              [](const TransformerSettings& settings) { return Layout(settings).make(); }};

}  // namespace fovea::model
