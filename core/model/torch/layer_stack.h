// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/model/torch/attention.h"
#include "core/model/torch/modules.h"
#include "core/model/torch/positions.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/trace.h"

namespace fovea::model {

/// What the sites of a run do: the mechanism of each, and where their records go.
struct SiteRecorder {
    std::vector<EntmaxParameters> mechanisms;        ///< by site
    std::vector<AttentionRecord>* records = nullptr;  ///< by site; null: nothing is recorded

    SiteRecorder(std::span<const Site> sites, const MechanismPlan& plan,
                 std::vector<AttentionRecord>* records);
};

/// Keys and values of the positions that a stack has read, kept so that the next token alone has to run.
struct KeyValueCache {
    struct Layer {
        at::Tensor keys;  // (keyValueHeads, room, width); grows as needed
        at::Tensor values;
        at::Tensor crossKeys;    // of the memory; undefined until the first run
        at::Tensor crossValues;
    };
    std::vector<Layer> layers;
    std::int64_t length = 0;  ///< positions held
};

/// One stack of layers: an encoder, a decoder, or the decoder of two stacks with attention to a memory.
class LayerStack {
public:
    /// The names of a stack's weights begin with `prefix`: "" or "decoder.". Its sites follow one another
    /// from `firstSite`; those of attention to the memory from `firstCrossSite`.
    struct Shape {
        std::string prefix;
        std::size_t layers = 0;
        std::size_t heads = 0;
        std::size_t keyValueHeads = 0;
        std::size_t headWidth = 0;
        std::size_t firstSite = 0;
        std::size_t firstCrossSite = 0;
        bool cross = false;
    };
    /// What goes in beside the states.
    struct Context {
        KeyMask mask;         ///< of all positions so far
        at::Tensor memory;    ///< (source positions, hidden); undefined without attention to it
        KeyMask memoryMask;
    };

    LayerStack(Shape shape, const TransformerSettings& settings, const Modules& modules)
        : shape_(std::move(shape)), settings_(settings), modules_(modules) {}

    const Shape& shape() const { return shape_; }
    /// An empty one.
    KeyValueCache makeCache() const { return {std::vector<KeyValueCache::Layer>(shape_.layers), 0}; }
    /// Runs `states` (positions, hidden) through all layers and the final norm. With `cache` they are the
    /// positions behind those that it holds, and join them.
    Result<at::Tensor> run(at::Tensor states, const Context& context, KeyValueCache* cache,
                           const SiteRecorder& recorder, const RunControl& control) const;

private:
    struct Step;  // what all layers of one call share

    Result<at::Tensor> layer(std::size_t index, at::Tensor states, const Step& step) const;
    at::Tensor selfAttention(std::size_t index, const std::string& role, const at::Tensor& states,
                             const Step& step) const;
    at::Tensor crossAttention(std::size_t index, const std::string& role, const at::Tensor& states,
                              const Step& step) const;
    at::Tensor attended(std::size_t site, const at::Tensor& queries, const at::Tensor& keys,
                        const at::Tensor& values, const ScoreRule& rule, const Step& step) const;
    at::Tensor feedForward(const std::string& role, const at::Tensor& states) const;
    /// Queries, keys and values: (heads, positions, width) each.
    std::array<at::Tensor, 3> projected(const std::string& role, const at::Tensor& states) const;
    at::Tensor perHead(const at::Tensor& states, std::size_t heads) const;
    ScoreRule ruleOf(std::size_t index, const Step& step) const;
    float scale(std::size_t index) const;

    Shape shape_;
    const TransformerSettings& settings_;
    const Modules& modules_;
};

}  // namespace fovea::model
