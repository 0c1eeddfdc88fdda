// SPDX-License-Identifier: GPL-3.0-or-later
// Llama and its kin: causal decoders with rotary positions, grouped queries, a gated MLP and norms before
// blocks. Mistral looks back through a window, and so may layers of Qwen. Qwen 2 has biases on queries, keys
// and values alone; Qwen 3 norms the queries and keys of each head.
#include <algorithm>

#include <fmt/format.h>

#include "core/model/decoder_layout.h"
#include "core/model/model_family.h"

namespace fovea::model {

namespace {

constexpr std::pair<std::string_view, HeadKind> llamaArchitectures[] = {
    {"LlamaModel", HeadKind::None},
    {"LlamaForCausalLM", HeadKind::CausalLanguageModel},
    {"LlamaForSequenceClassification", HeadKind::SequenceClassification},
    {"LlamaForTokenClassification", HeadKind::TokenClassification},
};
constexpr std::pair<std::string_view, HeadKind> mistralArchitectures[] = {
    {"MistralModel", HeadKind::None},
    {"MistralForCausalLM", HeadKind::CausalLanguageModel},
    {"MistralForSequenceClassification", HeadKind::SequenceClassification},
    {"MistralForTokenClassification", HeadKind::TokenClassification},
};
constexpr std::pair<std::string_view, HeadKind> qwen2Architectures[] = {
    {"Qwen2Model", HeadKind::None},
    {"Qwen2ForCausalLM", HeadKind::CausalLanguageModel},
    {"Qwen2ForSequenceClassification", HeadKind::SequenceClassification},
    {"Qwen2ForTokenClassification", HeadKind::TokenClassification},
};
constexpr std::pair<std::string_view, HeadKind> qwen3Architectures[] = {
    {"Qwen3Model", HeadKind::None},
    {"Qwen3ForCausalLM", HeadKind::CausalLanguageModel},
    {"Qwen3ForSequenceClassification", HeadKind::SequenceClassification},
    {"Qwen3ForTokenClassification", HeadKind::TokenClassification},
};

const DecoderNames names{.prefix = "model.",
                         .word = "embed_tokens",
                         .layers = "layers.",
                         .query = "self_attn.q_proj",
                         .key = "self_attn.k_proj",
                         .value = "self_attn.v_proj",
                         .output = "self_attn.o_proj",
                         .queryNorm = "self_attn.q_norm",
                         .keyNorm = "self_attn.k_norm",
                         .gate = "mlp.gate_proj",
                         .up = "mlp.up_proj",
                         .down = "mlp.down_proj",
                         .attentionNorm = "input_layernorm",
                         .mlpNorm = "post_attention_layernorm",
                         .finalNorm = "norm",
                         .head = "lm_head",
                         .tokenClassifier = "score",
                         .ignored = {"*rotary_emb.inv_freq"}};

// Where a file does not name them; 0: keys of their own for all heads, which share the hidden size.
struct HeadDefaults {
    std::size_t keyValueHeads = 0;
    std::size_t width = 0;
};

void readHeads(ConfigReader& config, const HeadDefaults& usual, TransformerSettings& settings) {
    const bool named = config.names("num_key_value_heads") || usual.keyValueHeads == 0;
    settings.keyValueHeads =
        config.size("num_key_value_heads", named ? settings.heads : usual.keyValueHeads);
    if (settings.heads % settings.keyValueHeads != 0) {
        config.failWith("num_key_value_heads",
                        fmt::format("a number that divides num_attention_heads {}", settings.heads),
                        settings.keyValueHeads);
    }
    // An empty width (more heads than hidden units) was refused with the heads that do not divide.
    const std::size_t shared = std::max<std::size_t>(settings.hiddenSize / settings.heads, 1);
    settings.headWidth = config.size("head_dim", usual.width > 0 ? usual.width : shared);
    if (settings.headWidth % 2 != 0) {
        config.failWith("head_dim", "an even number, for rotary positions", settings.headWidth);
    }
}

// What all of them have in common.
void readDecoder(ConfigReader& config, const CommonDefaults& defaults, const HeadDefaults& usual,
                 TransformerSettings& settings) {
    readCommonKeys(config, defaults, settings);
    readHeads(config, usual, settings);
    setDecoder(config, settings);
    setRotary(config, settings, RotaryShare::Whole);
    settings.gatedMlp = true;
    settings.norm = NormKind::RootMeanSquare;
    settings.normEpsilon = config.positive("rms_norm_eps", 1e-6, true);
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
    readDecoder(config, usualSizes(32000, 11008, 2048), {}, settings);
    settings.generation.ends = {2};
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", false);
    settings.mlpBias = config.flag("mlp_bias", false);
}

void readMistral(ConfigReader& config, TransformerSettings& settings) {
    readDecoder(config, usualSizes(32000, 14336, 4096 * 32), {.keyValueHeads = 8}, settings);
    settings.generation.ends = {2};
    // Null says that there are none.
    if (config.names("sliding_window") && !config.has("sliding_window")) return;
    settings.windows.assign(settings.layers, config.size("sliding_window", 4096));
}

// Which layers have windows, one by one, or all from a certain one on.
std::vector<bool> slidingLayers(ConfigReader& config, std::size_t layers, bool sliding) {
    const auto full = static_cast<std::size_t>(
        config.integer("max_window_layers", 28, 0, static_cast<std::int64_t>(largestLayerCount)));
    std::vector<bool> result(layers, false);
    const nlohmann::json* types = config.list("layer_types");
    if (!types) {
        for (std::size_t i = full; i < layers && sliding; ++i) result[i] = true;
        return result;
    }
    if (types->size() != layers)
        config.failWith("layer_types", fmt::format("{} entries, one a layer", layers), *types);
    for (std::size_t i = 0; i < std::min(types->size(), layers); ++i) {
        const nlohmann::json& type = (*types)[i];
        result[i] = type == "sliding_attention";
        if (!result[i] && type != "full_attention") {
            config.failWith("layer_types", "full_attention and sliding_attention alone", type,
                            ErrorKind::Unsupported);
        }
    }
    return result;
}

void readWindows(ConfigReader& config, TransformerSettings& settings) {
    const bool named = config.names("sliding_window");
    const std::size_t window =
        named && !config.has("sliding_window") ? 0 : config.size("sliding_window", 4096);
    const bool sliding = config.flag("use_sliding_window", false) && window > 0;
    const std::vector<bool> layers = slidingLayers(config, settings.layers, sliding);
    if (std::ranges::count(layers, true) == 0) return;
    if (!sliding) {
        return config.failWith("layer_types", "full_attention alone where use_sliding_window is false",
                               "sliding_attention");
    }
    for (const bool slides : layers) settings.windows.push_back(slides ? window : 0);
}

void readQwen2(ConfigReader& config, TransformerSettings& settings) {
    readDecoder(config, usualSizes(151936, 22016, 32768), {}, settings);
    readWindows(config, settings);
    settings.queryKeyValueBias = true;
}

void readQwen3(ConfigReader& config, TransformerSettings& settings) {
    readDecoder(config, usualSizes(151936, 22016, 32768), {.width = 128}, settings);
    readWindows(config, settings);
    settings.queryKeyValueBias = settings.attentionOutputBias = config.flag("attention_bias", false);
    settings.queryKeyNorm = true;
}

TensorLayout layout(const TransformerSettings& settings) { return decoderLayout(settings, names); }

}  // namespace

const ModelFamily llamaFamily{"llama", llamaArchitectures, readLlama, layout};
const ModelFamily mistralFamily{"mistral", mistralArchitectures, readMistral, layout};
const ModelFamily qwen2Family{"qwen2", qwen2Architectures, readQwen2, layout};
const ModelFamily qwen3Family{"qwen3", qwen3Architectures, readQwen3, layout};

}  // namespace fovea::model
