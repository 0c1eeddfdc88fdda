// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/two_stack_layout.h"

#include <fmt/format.h>

namespace fovea::model {

namespace {

constexpr const char* headName = "lm_head.weight";

}  // namespace

TwoStackLayout::TwoStackLayout(const TransformerSettings& settings, std::string prefix)
    : settings_(settings) {
    layout_.bodyPrefix = std::move(prefix);
}

TensorSlot& TwoStackLayout::addBody(std::string role, const std::string& name,
                                    std::vector<std::size_t> shape) {
    layout_.slots.push_back({std::move(role), {layout_.bodyPrefix + name}, std::move(shape)});
    return layout_.slots.back();
}

void TwoStackLayout::addHeadDense(const std::string& role, const std::string& name, std::size_t rows) {
    layout_.slots.push_back({.role = role + ".weight",
                             .names = {name + ".weight"},
                             .shape = {rows, settings_.hiddenSize}});
    layout_.slots.push_back({.role = role + ".bias", .names = {name + ".bias"}, .shape = {rows}});
}

void TwoStackLayout::addDense(const std::string& role, const std::string& name, std::size_t rows,
                              std::size_t columns, bool bias) {
    addBody(role + ".weight", name + ".weight", {rows, columns});
    if (bias) addBody(role + ".bias", name + ".bias", {rows});
}

void TwoStackLayout::addNorm(const std::string& role, const std::string& name) {
    addBody(role + ".weight", name + ".weight", {settings_.hiddenSize});
    if (settings_.norm == NormKind::LayerNorm)
        addBody(role + ".bias", name + ".bias", {settings_.hiddenSize});
}

std::vector<std::string> TwoStackLayout::wordNames(std::initializer_list<const char*> stacks) const {
    std::vector<std::string> names;
    for (const char* stack : stacks) names.push_back(layout_.bodyPrefix + stack + ".weight");
    return names;
}

void TwoStackLayout::addWords(bool shared) {
    const char* const common = "shared";
    const char* const reading = "encoder.embed_tokens";
    const char* const writing = "decoder.embed_tokens";
    const bool tiedHead = settings_.head == HeadKind::CausalLanguageModel && settings_.tiedEmbeddings;
    TensorSlot words{.role = "word.weight",
                     .names = wordNames({reading}),
                     .shape = {settings_.vocabularySize, settings_.hiddenSize}};
    if (shared) {
        // A stack's own table, where a file has one, is what runs.
        words.names = wordNames({reading, common, writing});
        words.missingAs = words.names[1];
        if (tiedHead) words.names.emplace_back(headName);
    }
    layout_.slots.push_back(std::move(words));
    if (!settings_.decoder) return;
    TensorSlot written{.role = "decoder.word.weight",
                       .names = shared ? wordNames({writing, common, reading}) : wordNames({writing}),
                       .shape = {settings_.decoder->vocabularySize, settings_.hiddenSize},
                       .shared = shared};
    if (tiedHead) written.names.emplace_back(headName);
    layout_.slots.push_back(std::move(written));
}

void TwoStackLayout::addAttention(const std::string& role, const std::string& name, const StackNames& names,
                                  std::size_t wide) {
    const std::size_t hidden = settings_.hiddenSize;
    const bool bias = settings_.queryKeyValueBias;
    addDense(role + "query", name + names.query, wide, hidden, bias);
    addDense(role + "key", name + names.key, wide, hidden, bias);
    addDense(role + "value", name + names.value, wide, hidden, bias);
    addDense(role + "output", name + names.output, hidden, wide, settings_.attentionOutputBias);
}

void TwoStackLayout::addFeedForward(const std::string& role, const std::string& name,
                                    const StackNames& names, std::size_t wide) {
    const std::size_t hidden = settings_.hiddenSize;
    if (settings_.gatedMlp) addDense(role + "gate", name + names.gate, wide, hidden, settings_.mlpBias);
    addDense(role + "up", name + names.up, wide, hidden, settings_.mlpBias);
    addDense(role + "down", name + names.down, hidden, wide, settings_.mlpBias);
    addNorm(role + "mlp_norm", name + names.mlpNorm);
}

void TwoStackLayout::addStack(bool decoder, const StackNames& names) {
    const DecoderSettings second = settings_.decoder.value_or(DecoderSettings{});
    const std::size_t layers = decoder ? second.layers : settings_.layers;
    const std::size_t wide =
        decoder ? second.heads * second.headWidth : settings_.heads * settings_.headWidth;
    const std::string stack = decoder ? "decoder." : "encoder.", roles = decoder ? "decoder." : "";
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string role = fmt::format("{}layer.{}.", roles, i);
        const std::string name = fmt::format("{}{}{}.", stack, names.layers, i);
        addAttention(role, name + names.attention, names, wide);
        addNorm(role + "attention_norm", name + names.attentionNorm);
        if (decoder) {
            addAttention(role + "cross_", name + names.cross, names, wide);
            addNorm(role + "cross_norm", name + names.crossNorm);
        }
        addFeedForward(role, name, names, decoder ? second.intermediateSize : settings_.intermediateSize);
    }
    if (settings_.finalNorm) addNorm(roles + "final_norm", stack + names.finalNorm);
}

void TwoStackLayout::addLanguageHead(bool sharedWords, bool withBias) {
    const std::size_t vocabulary = settings_.decoder->vocabularySize;
    TensorSlot head{.role = "head.weight",
                    .names = {headName},
                    .shape = {vocabulary, settings_.hiddenSize},
                    .shared = settings_.tiedEmbeddings};
    if (settings_.tiedEmbeddings) {
        for (const char* other : {"decoder.embed_tokens", "shared", "encoder.embed_tokens"}) {
            if (sharedWords || std::string_view(other).starts_with("decoder"))
                head.names.push_back(layout_.bodyPrefix + other + ".weight");
        }
    }
    layout_.slots.push_back(std::move(head));
    if (!withBias) return;
    // Files without it mean zeros.
    layout_.slots.push_back({.role = "head.bias",
                             .names = {"final_logits_bias"},
                             .shape = {1, vocabulary},
                             .optionalGroup = "final_logits_bias"});
}

}  // namespace fovea::model
