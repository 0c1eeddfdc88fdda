// SPDX-License-Identifier: GPL-3.0-or-later
// Llama and its kin: causal decoders with rotary positions, grouped queries, a gated MLP and norms before
// blocks. Qwen 2 has biases on queries, keys and values alone; Qwen 3 norms the queries and keys of each
// head.
#include <fmt/format.h>

#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> llamaArchitectures[] = {
    {"LlamaModel", HeadKind::None},
    {"LlamaForCausalLM", HeadKind::CausalLanguageModel},
};
constexpr std::pair<std::string_view, HeadKind> qwen2Architectures[] = {
    {"Qwen2Model", HeadKind::None},
    {"Qwen2ForCausalLM", HeadKind::CausalLanguageModel},
};
constexpr std::pair<std::string_view, HeadKind> qwen3Architectures[] = {
    {"Qwen3Model", HeadKind::None},
    {"Qwen3ForCausalLM", HeadKind::CausalLanguageModel},
};

void readHeads(ConfigReader& config, std::size_t usualWidth, TransformerSettings& settings) {
    settings.keyValueHeads = config.size("num_key_value_heads", settings.heads);
    if (settings.heads % settings.keyValueHeads != 0) {
        config.failWith("num_key_value_heads",
                        fmt::format("a number that divides num_attention_heads {}", settings.heads),
                        settings.keyValueHeads);
    }
    settings.headWidth = config.size("head_dim", usualWidth);
    if (settings.headWidth % 2 != 0) {
        config.failWith("head_dim", "an even number, for rotary positions", settings.headWidth);
    }
}

// What all of them have in common. `usualWidth`: of a head where the file does not say; 0: the hidden size
// shared among the heads.
void readDecoder(ConfigReader& config, const CommonDefaults& defaults, std::size_t usualWidth,
                 TransformerSettings& settings) {
    readCommonKeys(config, defaults, settings);
    // An empty width (more heads than hidden units) was refused with the heads that do not divide.
    const std::size_t shared = std::max<std::size_t>(settings.hiddenSize / settings.heads, 1);
    readHeads(config, usualWidth > 0 ? usualWidth : shared, settings);
    settings.siteKind = SiteKind::Decoder;
    settings.maskKind = MaskKind::Causal;
    settings.positions = PositionKind::Rotary;
    settings.rotary = readRotary(config, settings.maxPositions);
    settings.gatedMlp = true;
    settings.norm = NormKind::RootMeanSquare;
    settings.normPlacement = NormPlacement::BeforeBlock;
    settings.normEpsilon = config.positive("rms_norm_eps", 1e-6, true);
    settings.finalNorm = true;
}

// Where a file does not say: what these families agree on, and what each has of its own.
CommonDefaults usualSizes(std::size_t vocabulary, std::size_t intermediate, std::size_t positions) {
    return {.vocabularySize = vocabulary,
            .hiddenSize = 4096,
            .layers = 32,
            .heads = 32,
            .intermediateSize = intermediate,
            .maxPositions = positions,
            .activation = "silu",
            .tiedEmbeddings = false};
}

void readLlama(ConfigReader& config, TransformerSettings& settings) {
    readDecoder(config, usualSizes(32000, 11008, 2048), 0, settings);
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", false);
    settings.mlpBias = config.flag("mlp_bias", false);
}

void readQwen(ConfigReader& config, std::size_t usualWidth, TransformerSettings& settings) {
    readDecoder(config, usualSizes(151936, 22016, 32768), usualWidth, settings);
    if (config.flag("use_sliding_window", false)) {
        config.failWith("use_sliding_window", "false (sliding windows are not supported yet)", true,
                        ErrorKind::Unsupported);
    }
}

void readQwen2(ConfigReader& config, TransformerSettings& settings) {
    readQwen(config, 0, settings);
    settings.queryKeyValueBias = true;
}

void readQwen3(ConfigReader& config, TransformerSettings& settings) {
    readQwen(config, 128, settings);
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", false);
    settings.queryKeyNorm = true;
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
        if (settings_.queryKeyNorm) {
            add(role + "query_norm.weight", name + "self_attn.q_norm.weight", {settings_.headWidth});
            add(role + "key_norm.weight", name + "self_attn.k_norm.weight", {settings_.headWidth});
        }
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

TensorLayout decoderLayout(const TransformerSettings& settings) {
    return Layout(settings).make();
}

}  // namespace

const ModelFamily llamaFamily{"llama", llamaArchitectures, readLlama, decoderLayout};
const ModelFamily qwen2Family{"qwen2", qwen2Architectures, readQwen2, decoderLayout};
const ModelFamily qwen3Family{"qwen3", qwen3Architectures, readQwen3, decoderLayout};

}  // namespace fovea::model
