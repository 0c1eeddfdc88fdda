// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <ATen/ATen.h>

#include "core/model/torch/layer_stack.h"
#include "core/model/torch/modules.h"
#include "core/model/torch/weights.h"
#include "core/model/transformer_settings.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/model_runtime.h"
#include "core/trace/trace.h"

namespace fovea::model {

/// A sequence that is being continued.
struct Continuation {
    KeyValueCache cache;
    at::Tensor memory;                        ///< what the encoder made of its input, where there is one
    KeyMask memoryMask;
};

/// A copy of a float32 tensor.
OutputArray outputArray(std::string name, const at::Tensor& tensor);

/// The forward pass of the configurable transformer in evaluation mode, float32, without a batch axis,
/// as the transformers library computes it with eager attention.
class Transformer {
public:
    Transformer(TransformerSettings settings, Weights weights);
    Transformer(const Transformer&) = delete;
    Transformer& operator=(const Transformer&) = delete;

    const TransformerSettings& settings() const { return settings_; }
    const Weights& weights() const { return weights_; }
    /// Positions of a checked input: those of its text, then those of its picture.
    std::size_t positions(const ModelInput& input) const;
    /// Runs a checked input. Every site is recorded; positions count 0, 1, ... whatever the padding.
    Result<Trace> run(const ModelInput& input, std::span<const Site> sites, const MechanismPlan& plan,
                      const RunControl& control) const;

    /// Makes ready to continue a sequence: runs the encoder, where there is one, on `input`. Nothing of the
    /// sequence itself has run.
    Result<Continuation> begin(const ModelInput& input, const SiteRecorder& recorder,
                               const RunControl& control) const;
    /// Runs `ids`, which are no padding, behind what `sequence` holds; logits of the last one: (vocabulary).
    Result<at::Tensor> next(Continuation& sequence, std::span<const std::int64_t> ids,
                            const SiteRecorder& recorder, const RunControl& control) const;

private:
    bool twoStacks() const { return settings_.decoder.has_value(); }
    const LayerStack& writingStack() const { return decoder_ ? *decoder_ : body_; }

    /// `prefix` as in LayerStack; `first`: position of the first id in its sequence.
    at::Tensor embedText(const std::string& prefix, std::span<const std::int64_t> ids,
                         std::span<const std::int64_t> types, std::int64_t first) const;
    at::Tensor tablePositions(const std::string& prefix, std::span<const std::int64_t> ids,
                              std::int64_t first) const;
    at::Tensor embed(const ModelInput& input) const;
    at::Tensor embedPicture(const PixelValues& picture) const;
    KeyMask inputMask(const ModelInput& input) const;
    Result<at::Tensor> decoded(const ModelInput& input, const LayerStack::Context& context,
                               const SiteRecorder& recorder, const RunControl& control) const;

    // What stands on the body: transformer_outputs.cpp.
    std::vector<OutputArray> outputs(const at::Tensor& states, const ModelInput& input,
                                     const std::optional<PatchGrid>& grid) const;
    at::Tensor languageLogits(const at::Tensor& states) const;
    at::Tensor classLogits(const at::Tensor& states, const std::optional<PatchGrid>& grid) const;
    at::Tensor answerLogits(const at::Tensor& states) const;
    at::Tensor sentenceEmbedding(const at::Tensor& states, const ModelInput& input) const;
    /// Undefined when the model has no pooler.
    at::Tensor pooled(const at::Tensor& states) const;

    TransformerSettings settings_;
    Weights weights_;
    Modules modules_;
    LayerStack body_;  // of two, the encoder
    std::optional<LayerStack> decoder_;
};

}  // namespace fovea::model
