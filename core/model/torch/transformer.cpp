// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/transformer.h"

#include <numbers>

#include <fmt/format.h>

namespace fovea::model {

namespace {

at::Tensor indexTensor(const std::vector<std::int64_t>& values) {
    return at::tensor(at::ArrayRef<std::int64_t>(values), at::TensorOptions(at::kLong));
}

// Inverse frequencies 1/theta^(2i/width), i = 0 .. width/2 - 1, stretched as the settings say.
at::Tensor inverseFrequencies(const RotarySettings& rotary, std::int64_t width) {
    const at::Tensor exponents = at::arange(0, width, 2, at::kFloat) / static_cast<double>(width);
    const at::Tensor plain = at::pow(at::Scalar(rotary.theta), exponents).reciprocal();
    if (rotary.scaling == RotaryScaling::None) return plain;
    const at::Tensor stretched = plain / rotary.factor;
    if (rotary.scaling == RotaryScaling::Linear) return stretched;
    // Llama 3: long waves are stretched, short ones stay, those between are blended.
    const at::Tensor turns = plain * (rotary.originalPositions / (2 * std::numbers::pi));
    const at::Tensor blend =
        (turns - rotary.lowFrequencyFactor) / (rotary.highFrequencyFactor - rotary.lowFrequencyFactor);
    const at::Tensor kept = blend.clamp(0.0, 1.0);
    return stretched * (1.0 - kept) + plain * kept;
}

// x cos + (-x2, x1) sin, where x = (x1, x2) along the width.
at::Tensor rotated(const at::Tensor& states, const at::Tensor& cosine, const at::Tensor& sine) {
    const std::vector<at::Tensor> halves = states.chunk(2, -1);
    return states * cosine + at::cat({-halves[1], halves[0]}, -1) * sine;
}

OutputArray outputArray(std::string name, const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous();
    const float* values = flat.data_ptr<float>();
    OutputArray output{std::move(name), {}, {values, values + flat.numel()}};
    for (const std::int64_t extent : flat.sizes()) output.shape.push_back(static_cast<std::size_t>(extent));
    return output;
}

}  // namespace

at::Tensor Transformer::dense(const std::string& role, const at::Tensor& states) const {
    return at::linear(states, weights_.get(role + ".weight"), weights_.find(role + ".bias"));
}

at::Tensor Transformer::normalised(const std::string& role, const at::Tensor& states) const {
    const at::Tensor weight = weights_.get(role + ".weight");
    if (settings_.norm == NormKind::LayerNorm) {
        return at::layer_norm(states, weight.sizes(), weight, weights_.find(role + ".bias"),
                              settings_.normEpsilon, false);
    }
    const at::Tensor meanSquare = states.square().mean(-1, true);
    return weight * (states * at::rsqrt(meanSquare + settings_.normEpsilon));
}

at::Tensor Transformer::activated(const at::Tensor& states) const {
    switch (settings_.activation) {
        case Activation::GeluErf: return at::gelu(states, "none");
        case Activation::GeluTanh: return at::gelu(states, "tanh");
        case Activation::Relu: return at::relu(states);
        case Activation::Silu: return at::silu(states);
        case Activation::Tanh: return at::tanh(states);
    }
    return states;
}

at::Tensor Transformer::embed(const ModelInput& input) const {
    const auto positions = static_cast<std::int64_t>(input.inputIds.size());
    at::Tensor states = at::embedding(weights_.get("word.weight"), indexTensor(input.inputIds));
    if (settings_.typeVocabularySize > 0) {
        const at::Tensor types =
            input.tokenTypeIds.empty() ? at::zeros({positions}, at::kLong) : indexTensor(input.tokenTypeIds);
        states = states + at::embedding(weights_.get("type.weight"), types);
    }
    if (settings_.positions == PositionKind::LearnedTable) {
        states = states + weights_.get("position.weight").narrow(0, 0, positions);
    }
    return settings_.embeddingNorm ? normalised("embedding_norm", states) : states;
}

Transformer::Rotation Transformer::rotation(std::int64_t positions) const {
    if (settings_.positions != PositionKind::Rotary) return {};
    const at::Tensor frequencies =
        inverseFrequencies(settings_.rotary, static_cast<std::int64_t>(settings_.headWidth));
    const at::Tensor angles = at::arange(positions, at::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
    const at::Tensor both = at::cat({angles, angles}, -1);
    return {both.cos(), both.sin()};
}

at::Tensor Transformer::perHead(const at::Tensor& states, std::size_t heads) const {
    const auto width = static_cast<std::int64_t>(settings_.headWidth);
    return states.view({states.size(0), static_cast<std::int64_t>(heads), width})
        .transpose(0, 1)
        .contiguous();
}

at::Tensor Transformer::attention(const std::string& layer, const at::Tensor& states,
                                  const Rotation& rotation, const KeyMask& mask, AttentionRecord& record,
                                  std::stop_token stop) const {
    at::Tensor queries = perHead(dense(layer + "query", states), settings_.heads);
    at::Tensor keys = perHead(dense(layer + "key", states), settings_.keyValueHeads);
    const at::Tensor values = perHead(dense(layer + "value", states), settings_.keyValueHeads);
    if (rotation.cosine.defined()) {
        queries = rotated(queries, rotation.cosine, rotation.sine);
        keys = rotated(keys, rotation.cosine, rotation.sine);
    }
    record.scores = recordedScores(queries, keys, mask);
    const at::Tensor mixed = attend(queries, keys, values, mask, record.applied, stop);
    return mixed.defined() ? dense(layer + "output", mixed) : mixed;
}

at::Tensor Transformer::feedForward(const std::string& layer, const at::Tensor& states) const {
    if (!settings_.gatedMlp) return dense(layer + "down", activated(dense(layer + "up", states)));
    return dense(layer + "down", activated(dense(layer + "gate", states)) * dense(layer + "up", states));
}

at::Tensor Transformer::languageLogits(const at::Tensor& states) const {
    if (settings_.head == HeadKind::CausalLanguageModel) return dense("head", states);
    return dense("head", normalised("transform_norm", activated(dense("transform", states))));
}

std::vector<OutputArray> Transformer::outputs(const at::Tensor& states) const {
    std::vector<OutputArray> outputs;
    if (settings_.head == HeadKind::MaskedLanguageModel || settings_.head == HeadKind::CausalLanguageModel) {
        outputs.push_back(outputArray("logits", languageLogits(states)));
        return outputs;
    }
    if (settings_.head == HeadKind::None) outputs.push_back(outputArray("last_hidden_state", states));
    if (!weights_.find("pooler.weight").defined()) return outputs;
    const at::Tensor pooled = at::tanh(dense("pooler", states.select(0, 0)));
    if (settings_.head == HeadKind::None) outputs.push_back(outputArray("pooler_output", pooled));
    else outputs.push_back(outputArray("logits", dense("classifier", pooled)));
    return outputs;
}

Result<Trace> Transformer::run(const ModelInput& input, std::span<const Site> sites,
                               const MechanismPlan& plan, const RunControl& control) const {
    const auto cancelled = [] { return fail("the run was stopped", ErrorKind::Cancelled); };
    const KeyMask mask = KeyMask::make(settings_.maskKind, input.attentionMask);
    const Rotation turns = rotation(static_cast<std::int64_t>(input.inputIds.size()));
    const bool before = settings_.normPlacement == NormPlacement::BeforeBlock;
    Trace trace;
    at::Tensor states = embed(input);
    for (std::size_t i = 0; i < settings_.layers; ++i) {
        if (control.stop.stop_requested()) return cancelled();
        control.report(fmt::format("layer {} of {}", i + 1, settings_.layers),
                       static_cast<double>(i) / static_cast<double>(settings_.layers));
        const std::string layer = fmt::format("layer.{}.", i);
        AttentionRecord record{sites[i], nullptr, plan.at(sites[i])};
        const at::Tensor seen = before ? normalised(layer + "attention_norm", states) : states;
        const at::Tensor attended = attention(layer, seen, turns, mask, record, control.stop);
        if (!attended.defined()) return cancelled();
        trace.records.push_back(std::move(record));
        states = states + attended;
        if (!before) states = normalised(layer + "attention_norm", states);
        states = states + feedForward(layer, before ? normalised(layer + "mlp_norm", states) : states);
        if (!before) states = normalised(layer + "mlp_norm", states);
    }
    if (settings_.finalNorm) states = normalised("final_norm", states);
    trace.outputs = outputs(states);
    control.report("run", 1);
    return trace;
}

}  // namespace fovea::model
