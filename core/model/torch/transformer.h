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

at::Tensor activated(Activation activation, const at::Tensor& states);

/// The forward pass of the configurable transformer in evaluation mode, float32, without a batch axis,
/// as the transformers library computes it with eager attention.
class Transformer {
public:
    Transformer(TransformerSettings settings, Weights weights)
        : settings_(std::move(settings)), weights_(std::move(weights)) {}

    /// Positions of a checked input: those of its text, then those of its picture.
    std::size_t positions(const ModelInput& input) const;
    /// Runs a checked input. Every site is recorded; positions count 0, 1, ... whatever the padding.
    Result<Trace> run(const ModelInput& input, std::span<const Site> sites, const MechanismPlan& plan,
                      const RunControl& control) const;

private:
    struct Rotation {
        at::Tensor cosine;  // (positions, headWidth)
        at::Tensor sine;
    };

    at::Tensor embed(const ModelInput& input) const;
    at::Tensor embedText(const ModelInput& input) const;
    at::Tensor embedPicture(const PixelValues& picture) const;
    at::Tensor dense(const std::string& role, const at::Tensor& states) const;
    at::Tensor normalised(const std::string& role, const at::Tensor& states) const;
    /// Times the weight called `role`, where the model has it.
    at::Tensor scaled(const std::string& role, const at::Tensor& states) const;
    Rotation rotation(std::int64_t positions) const;
    /// (positions, heads * width) to (heads, positions, width), contiguous.
    at::Tensor perHead(const at::Tensor& states, std::size_t heads) const;
    at::Tensor attention(const std::string& layer, const at::Tensor& states, const Rotation& rotation,
                         const KeyMask& mask, AttentionRecord& record, std::stop_token stop) const;
    at::Tensor feedForward(const std::string& layer, const at::Tensor& states) const;
    Result<at::Tensor> layer(std::size_t index, at::Tensor states, const Rotation& rotation,
                             const KeyMask& mask, AttentionRecord& record, std::stop_token stop) const;

    // What stands on the body: transformer_outputs.cpp.
    std::vector<OutputArray> outputs(const at::Tensor& states, const std::optional<PatchGrid>& grid) const;
    at::Tensor languageLogits(const at::Tensor& states) const;
    at::Tensor classLogits(const at::Tensor& states, const std::optional<PatchGrid>& grid) const;
    at::Tensor answerLogits(const at::Tensor& states) const;
    /// Undefined when the model has no pooler.
    at::Tensor pooled(const at::Tensor& states) const;

    TransformerSettings settings_;
    Weights weights_;
};

}  // namespace fovea::model
