// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/layer_stack.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace fovea::model {

namespace {

// Positions that a cache has room for beyond those that it holds.
constexpr std::int64_t leastRoom = 64;

std::int64_t extent(std::size_t value) { return static_cast<std::int64_t>(value); }

std::unexpected<Error> stopped() { return fail("the run was stopped", ErrorKind::Cancelled); }

// Appends `fresh` (heads, positions, width) to what `kept` holds of `length` positions; all of them. Room
// doubles when it is used up, so that a position is copied about twice in all.
at::Tensor joined(at::Tensor& kept, std::int64_t length, const at::Tensor& fresh) {
    const std::int64_t needed = length + fresh.size(1);
    if (!kept.defined() || kept.size(1) < needed) {
        const at::Tensor wider =
            at::empty({fresh.size(0), std::max(needed + leastRoom, 2 * length), fresh.size(2)});
        if (length > 0) wider.narrow(1, 0, length).copy_(kept.narrow(1, 0, length));
        kept = wider;
    }
    kept.narrow(1, length, fresh.size(1)).copy_(fresh);
    return kept.narrow(1, 0, length + fresh.size(1));
}

}  // namespace

SiteRecorder::SiteRecorder(std::span<const Site> sites, const MechanismPlan& plan,
                           std::vector<AttentionRecord>* target)
    : records(target) {
    for (const Site& site : sites) {
        mechanisms.push_back(plan.at(site));
        if (records) records->push_back({site, nullptr, mechanisms.back()});
    }
}

struct LayerStack::Step {
    const Context& context;
    KeyValueCache* cache;
    const SiteRecorder& recorder;
    std::stop_token stop;
    Rotation rotation;
    at::Tensor bias;
};

at::Tensor LayerStack::perHead(const at::Tensor& states, std::size_t heads) const {
    return states.reshape({states.size(0), extent(heads), extent(shape_.headWidth)})
        .transpose(0, 1)
        .contiguous();
}

std::array<at::Tensor, 3> LayerStack::projected(const std::string& role, const at::Tensor& states) const {
    const std::size_t heads = shape_.heads, keyHeads = shape_.keyValueHeads;
    if (settings_.fusedProjection == FusedProjection::None) {
        return {perHead(modules_.dense(role + "query", states), heads),
                perHead(modules_.dense(role + "key", states), keyHeads),
                perHead(modules_.dense(role + "value", states), keyHeads)};
    }
    const at::Tensor fused = modules_.dense(role + "query_key_value", states);
    const std::int64_t width = extent(shape_.headWidth);
    const bool byHead = settings_.fusedProjection == FusedProjection::ByHead;
    const std::vector<at::Tensor> parts =
        byHead ? fused.view({fused.size(0), extent(heads), 3 * width}).split(width, -1) : fused.chunk(3, -1);
    return {perHead(parts[0], heads), perHead(parts[1], keyHeads), perHead(parts[2], keyHeads)};
}

float LayerStack::scale(std::size_t index) const {
    const double usual = 1.0 / std::sqrt(static_cast<double>(shape_.headWidth));
    const double scale = settings_.scoreScale > 0 ? settings_.scoreScale : usual;
    return static_cast<float>(settings_.scoreScaleByLayer ? scale / static_cast<double>(index + 1) : scale);
}

ScoreRule LayerStack::ruleOf(std::size_t index, const Step& step) const {
    const std::size_t window = settings_.windows.empty() ? 0 : settings_.windows[index];
    return {step.context.mask.withWindow(window), scale(index), step.bias};
}

at::Tensor LayerStack::attended(std::size_t site, const at::Tensor& queries, const at::Tensor& keys,
                                const at::Tensor& values, const ScoreRule& rule, const Step& step) const {
    if (step.recorder.records)
        (*step.recorder.records)[site].scores = recordedScores(queries, keys, rule);
    return attend(queries, keys, values, rule, step.recorder.mechanisms[site], step.stop);
}

at::Tensor LayerStack::selfAttention(std::size_t index, const std::string& role, const at::Tensor& states,
                                     const Step& step) const {
    auto [queries, keys, values] = projected(role, states);
    if (settings_.queryKeyNorm) {
        queries = modules_.normalised(role + "query_norm", queries);
        keys = modules_.normalised(role + "key_norm", keys);
    }
    queries = step.rotation.turned(queries);
    keys = step.rotation.turned(keys);
    if (step.cache) {
        KeyValueCache::Layer& kept = step.cache->layers[index];
        keys = joined(kept.keys, step.cache->length, keys);
        values = joined(kept.values, step.cache->length, values);
    }
    const at::Tensor mixed =
        attended(shape_.firstSite + index, queries, keys, values, ruleOf(index, step), step);
    return mixed.defined() ? modules_.dense(role + "output", mixed) : mixed;
}

at::Tensor LayerStack::crossAttention(std::size_t index, const std::string& role, const at::Tensor& states,
                                      const Step& step) const {
    const at::Tensor queries = perHead(modules_.dense(role + "cross_query", states), shape_.heads);
    const auto ofMemory = [&](const char* part) {
        return perHead(modules_.dense(role + part, step.context.memory), shape_.keyValueHeads);
    };
    KeyValueCache::Layer fresh;
    KeyValueCache::Layer& kept = step.cache ? step.cache->layers[index] : fresh;
    if (!kept.crossKeys.defined()) {
        kept.crossKeys = ofMemory("cross_key");
        kept.crossValues = ofMemory("cross_value");
    }
    const ScoreRule rule{step.context.memoryMask, scale(index), {}};
    const at::Tensor mixed =
        attended(shape_.firstCrossSite + index, queries, kept.crossKeys, kept.crossValues, rule, step);
    return mixed.defined() ? modules_.dense(role + "cross_output", mixed) : mixed;
}

at::Tensor LayerStack::feedForward(const std::string& role, const at::Tensor& states) const {
    const auto act = [&](const at::Tensor& value) { return activated(settings_.activation, value); };
    if (!settings_.gatedMlp)
        return modules_.dense(role + "down", act(modules_.dense(role + "up", states)));
    if (settings_.fusedGate) {
        const std::vector<at::Tensor> halves = modules_.dense(role + "gate_up", states).chunk(2, -1);
        return modules_.dense(role + "down", act(halves[0]) * halves[1]);
    }
    return modules_.dense(role + "down",
                          act(modules_.dense(role + "gate", states)) * modules_.dense(role + "up", states));
}

Result<at::Tensor> LayerStack::layer(std::size_t index, at::Tensor states, const Step& step) const {
    const std::string role =
        fmt::format("{}layer.{}.", shape_.prefix, settings_.weightsOfLayer(index));
    const bool before = settings_.normPlacement == NormPlacement::BeforeBlock;
    const auto entering = [&](const char* norm) {
        return before ? modules_.normalised(role + norm, states) : states;
    };
    const auto leave = [&](const at::Tensor& sum, const char* norm) {
        states = before ? sum : modules_.normalised(role + norm, sum);
    };
    const at::Tensor attended = selfAttention(index, role, entering("attention_norm"), step);
    if (!attended.defined()) return stopped();
    if (settings_.parallelBlocks)
        return states + attended + feedForward(role, entering("mlp_norm"));
    leave(states + modules_.scaled(role + "attention_scale", attended), "attention_norm");
    if (shape_.cross) {
        const at::Tensor found = crossAttention(index, role, entering("cross_norm"), step);
        if (!found.defined()) return stopped();
        leave(states + found, "cross_norm");
    }
    const at::Tensor mixed = feedForward(role, entering("mlp_norm"));
    leave(states + modules_.scaled(role + "mlp_scale", mixed), "mlp_norm");
    return states;
}

Result<at::Tensor> LayerStack::run(at::Tensor states, const Context& context, KeyValueCache* cache,
                                   const SiteRecorder& recorder, const RunControl& control) const {
    const std::int64_t first = cache ? cache->length : 0, count = states.size(0);
    Step step{context, cache, recorder, control.stop, {}, {}};
    if (settings_.positions == PositionKind::Rotary)
        step.rotation = rotationOf(settings_.rotary, shape_.headWidth, first, count);
    if (settings_.relativeBias) {
        step.bias = relativeBias(*settings_.relativeBias,
                                 modules_.weight(shape_.prefix + "relative_bias.weight"),
                                 context.mask.kind == MaskKind::Causal, count, first + count);
    }
    for (std::size_t i = 0; i < shape_.layers; ++i) {
        if (control.stop.stop_requested()) return stopped();
        control.report(fmt::format("{}layer {} of {}", shape_.prefix.empty() ? "" : "decoder ", i + 1,
                                   shape_.layers),
                       static_cast<double>(i) / static_cast<double>(shape_.layers));
        Result<at::Tensor> next = layer(i, std::move(states), step);
        if (!next) return next;
        states = std::move(*next);
    }
    if (cache) cache->length += count;
    return settings_.finalNorm ? modules_.normalised(shape_.prefix + "final_norm", states) : states;
}

}  // namespace fovea::model
