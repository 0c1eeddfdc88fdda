// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/transformer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/model/torch/picture_states.h"

namespace fovea::model {

namespace {

at::Tensor indexTensor(const std::vector<std::int64_t>& values) {
    return at::tensor(at::ArrayRef<std::int64_t>(values), at::TensorOptions(at::kLong));
}

// YaRN: how far each wave is stretched, 0 up to the one that turns `fastTurns` times within the original
// positions, 1 from the one that turns `slowTurns` times, a straight line between.
at::Tensor stretchedShare(const RotarySettings& rotary, std::int64_t width) {
    const auto wave = [&](double turns) {
        return static_cast<double>(width) *
               std::log(rotary.originalPositions / (turns * 2 * std::numbers::pi)) /
               (2 * std::log(rotary.theta));
    };
    double first = wave(rotary.fastTurns), last = wave(rotary.slowTurns);
    if (rotary.wholeBorders) {
        first = std::floor(first);
        last = std::ceil(last);
    }
    first = std::max(first, 0.0);
    last = std::min(last, static_cast<double>(width - 1));
    if (first == last) last += 0.001;
    return ((at::arange(width / 2, at::kFloat) - first) / (last - first)).clamp(0.0, 1.0);
}

// Inverse frequencies 1/theta^(2i/width), i = 0 .. width/2 - 1, stretched as the settings say.
at::Tensor inverseFrequencies(const RotarySettings& rotary, std::int64_t width) {
    const at::Tensor exponents = at::arange(0, width, 2, at::kFloat) / static_cast<double>(width);
    const at::Tensor plain = at::pow(at::Scalar(rotary.theta), exponents).reciprocal();
    if (rotary.scaling == RotaryScaling::None) return plain;
    const at::Tensor stretched = plain / rotary.factor;
    if (rotary.scaling == RotaryScaling::Linear) return stretched;
    if (rotary.scaling == RotaryScaling::Yarn) {
        const at::Tensor share = stretchedShare(rotary, width);
        return stretched * share + plain * (1.0 - share);
    }
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

}  // namespace

at::Tensor activated(Activation activation, const at::Tensor& states) {
    switch (activation) {
        case Activation::GeluErf: return at::gelu(states, "none");
        case Activation::GeluTanh: return at::gelu(states, "tanh");
        case Activation::QuickGelu: return states * at::sigmoid(1.702 * states);
        case Activation::Relu: return at::relu(states);
        case Activation::Silu: return at::silu(states);
        case Activation::Tanh: return at::tanh(states);
    }
    return states;
}

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

at::Tensor Transformer::scaled(const std::string& role, const at::Tensor& states) const {
    const at::Tensor scale = weights_.find(role);
    return scale.defined() ? states * scale : states;
}

std::size_t Transformer::positions(const ModelInput& input) const {
    const std::size_t text = input.inputIds.size();
    if (!settings_.picture) return text;
    const PatchGrid grid = patchGrid(*settings_.picture, input.picture, text);
    return grid.first + grid.count();
}

at::Tensor Transformer::embed(const ModelInput& input) const {
    if (!settings_.picture) return embedText(input);
    const at::Tensor picture = embedPicture(input.picture);
    if (settings_.vocabularySize == 0) return picture;
    const at::Tensor modality = weights_.get("modality");
    return at::cat({embedText(input) + modality.select(0, 0), picture + modality.select(0, 1)});
}

at::Tensor Transformer::embedPicture(const PixelValues& picture) const {
    const at::Tensor states = pictureStates(*settings_.picture, weights_, picture);
    return settings_.picture->norm ? normalised("picture_norm", states) : states;
}

at::Tensor Transformer::embedText(const ModelInput& input) const {
    const auto tokens = static_cast<std::int64_t>(input.inputIds.size());
    at::Tensor states = at::embedding(weights_.get("word.weight"), indexTensor(input.inputIds));
    if (settings_.typeVocabularySize > 0) {
        const at::Tensor types =
            input.tokenTypeIds.empty() ? at::zeros({tokens}, at::kLong) : indexTensor(input.tokenTypeIds);
        states = states + at::embedding(weights_.get("type.weight"), types);
    }
    if (settings_.positions == PositionKind::LearnedTable) {
        states = states + weights_.get("position.weight").narrow(0, 0, tokens);
    }
    return settings_.embeddingNorm ? normalised("embedding_norm", states) : states;
}

Transformer::Rotation Transformer::rotation(std::int64_t positions) const {
    if (settings_.positions != PositionKind::Rotary) return {};
    const at::Tensor frequencies =
        inverseFrequencies(settings_.rotary, static_cast<std::int64_t>(settings_.headWidth));
    const at::Tensor angles = at::arange(positions, at::kFloat).unsqueeze(1) * frequencies.unsqueeze(0);
    const at::Tensor both = at::cat({angles, angles}, -1);
    const double factor = settings_.rotary.attentionFactor;
    return {both.cos() * factor, both.sin() * factor};
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
    if (settings_.queryKeyNorm) {
        queries = normalised(layer + "query_norm", queries);
        keys = normalised(layer + "key_norm", keys);
    }
    if (rotation.cosine.defined()) {
        queries = rotated(queries, rotation.cosine, rotation.sine);
        keys = rotated(keys, rotation.cosine, rotation.sine);
    }
    record.scores = recordedScores(queries, keys, mask);
    const at::Tensor mixed = attend(queries, keys, values, mask, record.applied, stop);
    return mixed.defined() ? dense(layer + "output", mixed) : mixed;
}

at::Tensor Transformer::feedForward(const std::string& layer, const at::Tensor& states) const {
    const auto act = [&](const at::Tensor& value) { return activated(settings_.activation, value); };
    if (!settings_.gatedMlp) return dense(layer + "down", act(dense(layer + "up", states)));
    if (settings_.fusedGate) {
        const std::vector<at::Tensor> halves = dense(layer + "gate_up", states).chunk(2, -1);
        return dense(layer + "down", act(halves[0]) * halves[1]);
    }
    return dense(layer + "down", act(dense(layer + "gate", states)) * dense(layer + "up", states));
}

Result<at::Tensor> Transformer::layer(std::size_t index, at::Tensor states, const Rotation& rotation,
                                      const KeyMask& mask, AttentionRecord& record,
                                      std::stop_token stop) const {
    const std::string role = fmt::format("layer.{}.", index);
    const bool before = settings_.normPlacement == NormPlacement::BeforeBlock;
    const at::Tensor seen = before ? normalised(role + "attention_norm", states) : states;
    const at::Tensor attended = attention(role, seen, rotation, mask, record, stop);
    if (!attended.defined()) return fail("the run was stopped", ErrorKind::Cancelled);
    states = states + scaled(role + "attention_scale", attended);
    if (!before) states = normalised(role + "attention_norm", states);
    const at::Tensor mixed = feedForward(role, before ? normalised(role + "mlp_norm", states) : states);
    states = states + scaled(role + "mlp_scale", mixed);
    return before ? states : normalised(role + "mlp_norm", states);
}

Result<Trace> Transformer::run(const ModelInput& input, std::span<const Site> sites,
                               const MechanismPlan& plan, const RunControl& control) const {
    std::vector<std::int64_t> attentionMask = input.attentionMask;
    // A mask speaks of a text; the positions of a picture are always real.
    if (settings_.vocabularySize == 0) attentionMask.clear();
    if (!attentionMask.empty()) attentionMask.resize(positions(input), 1);
    const KeyMask mask = KeyMask::make(settings_.maskKind, attentionMask);
    const Rotation turns = rotation(static_cast<std::int64_t>(positions(input)));
    Trace trace;
    if (settings_.picture)
        trace.grid = patchGrid(*settings_.picture, input.picture, input.inputIds.size());
    at::Tensor states = embed(input);
    for (std::size_t i = 0; i < settings_.layers; ++i) {
        if (control.stop.stop_requested()) return fail("the run was stopped", ErrorKind::Cancelled);
        control.report(fmt::format("layer {} of {}", i + 1, settings_.layers),
                       static_cast<double>(i) / static_cast<double>(settings_.layers));
        AttentionRecord record{sites[i], nullptr, plan.at(sites[i])};
        Result<at::Tensor> next = layer(i, std::move(states), turns, mask, record, control.stop);
        if (!next) return std::unexpected(next.error());
        states = std::move(*next);
        trace.records.push_back(std::move(record));
    }
    if (settings_.finalNorm) states = normalised("final_norm", states);
    trace.outputs = outputs(states, trace.grid);
    control.report("run", 1);
    return trace;
}

}  // namespace fovea::model
