// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include <ATen/ATen.h>

#include "core/model/torch/attention.h"
#include "core/model/torch/weights.h"
#include "core/model/transformer_settings.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/model_runtime.h"
#include "core/trace/trace.h"

namespace fovea::model {

/// The forward pass of the configurable transformer in evaluation mode, float32, without a batch axis,
/// as the transformers library computes it with eager attention.
class Transformer {
public:
    Transformer(TransformerSettings settings, Weights weights)
        : settings_(std::move(settings)), weights_(std::move(weights)) {}

    /// Runs a checked input. Every site is recorded; positions count 0, 1, ... whatever the padding.
    Result<Trace> run(const ModelInput& input, std::span<const Site> sites, const MechanismPlan& plan,
                      const RunControl& control) const;

private:
    struct Rotation {
        at::Tensor cosine;  // (positions, headWidth)
        at::Tensor sine;
    };

    at::Tensor embed(const ModelInput& input) const;
    at::Tensor dense(const std::string& role, const at::Tensor& states) const;
    at::Tensor normalised(const std::string& role, const at::Tensor& states) const;
    at::Tensor activated(const at::Tensor& states) const;
    Rotation rotation(std::int64_t positions) const;
    /// (positions, heads * width) to (heads, positions, width), contiguous.
    at::Tensor perHead(const at::Tensor& states, std::size_t heads) const;
    at::Tensor attention(const std::string& layer, const at::Tensor& states, const Rotation& rotation,
                         const KeyMask& mask, AttentionRecord& record, std::stop_token stop) const;
    at::Tensor feedForward(const std::string& layer, const at::Tensor& states) const;
    std::vector<OutputArray> outputs(const at::Tensor& states) const;
    at::Tensor languageLogits(const at::Tensor& states) const;

    TransformerSettings settings_;
    Weights weights_;
};

}  // namespace fovea::model
