// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/generation.h"
#include "core/trace/mechanism_plan.h"
#include "core/trace/model_info.h"
#include "core/trace/trace.h"
#include "core/trace/training_runtime.h"

namespace fovea {

/// Pixels of a picture as a model reads them: float32, (3, height, width), red first, normalised.
struct PixelValues {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<float> values;  ///< empty: no picture
};

/// Input of one run, without a batch axis. The members of a text that are not empty have the same
/// length; a model of text and pictures takes both.
struct ModelInput {
    std::vector<std::int64_t> inputIds;
    std::vector<std::int64_t> attentionMask;  ///< 1 real, 0 padding; empty: all real
    std::vector<std::int64_t> tokenTypeIds;   ///< empty: all 0
    PixelValues picture;
    /// What the decoder of a model of two stacks reads; begins with its start token.
    std::vector<std::int64_t> decoderInputIds = {};
};

/// A model whose weights are at hand. `run` may be called from any thread; calls on one model run one
/// at a time.
class LoadedModel {
public:
    virtual ~LoadedModel() = default;
    virtual const ModelInfo& info() const = 0;
    /// Runs the model with `plan` in place of its softmax and records every site. Ids, types and
    /// length are checked against the configuration. No exception leaves it.
    virtual Result<std::shared_ptr<const Trace>> run(const ModelInput& input, const MechanismPlan& plan,
                                                     const RunControl& control) const = 0;
    /// Continues the text of `input`, or writes an answer to it, token by token with kept keys and values;
    /// `plan` acts at every step. Errors: a model that does not generate, positions that do not suffice.
    virtual Result<GeneratedIds> generate(const ModelInput& input, const MechanismPlan& plan,
                                          const GenerationSettings& settings, const TokenSink& each,
                                          const RunControl& control) const = 0;
};

/// How several queries are answered: each on its own, as they come, or all in one product.
enum class QueryOrder { OneByOne, Together };

/// A forward pass of LibTorch's own, to time ours against.
class TimedScript {
public:
    virtual ~TimedScript() = default;
    /// Runs `ids` through it and writes the last hidden states (positions, hidden); seconds of the run.
    virtual Result<double> seconds(std::span<const std::int64_t> ids, std::span<float> states) const = 0;
};

/// The border to the run-time module that holds LibTorch: only values and these interfaces cross it.
class ModelRuntime {
public:
    virtual ~ModelRuntime() = default;
    /// LibTorch's version, "1.13.1".
    virtual std::string version() const = 0;
    /// Reads the weights; a model with missing or wrongly shaped tensors is refused with their names.
    virtual Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& folder,
                                                            const LoadOptions& options,
                                                            const RunControl& control) const = 0;
    virtual const TrainingRuntime& training() const = 0;

    // What the timings of our own code are compared with: seconds of one call of LibTorch's own code on one
    // thread. Results go to memory of the caller, so that no call pays for fresh pages.

    /// softmax over the last axis of (rows, columns).
    virtual Result<double> softmaxSeconds(std::span<const float> scores, std::size_t columns,
                                          std::span<float> weights) const = 0;
    /// The backward pass of softmax, from its weights and the gradient above it.
    virtual Result<double> softmaxBackwardSeconds(std::span<const float> weights,
                                                  std::span<const float> upstream, std::size_t columns,
                                                  std::span<float> gradient) const = 0;
    /// Softmax attention of `queries` (m, width) over `states` (n, width), which are keys and values alike.
    virtual Result<double> attentionSeconds(std::span<const float> states, std::span<const float> queries,
                                            std::size_t width, QueryOrder order,
                                            std::span<float> answers) const = 0;
    /// The BERT of `folder` as TorchScript with eager attention, which records nothing, on as many threads
    /// as our own pass would take.
    virtual Result<std::shared_ptr<const TimedScript>> eagerScript(
        const std::filesystem::path& folder) const = 0;
};

}  // namespace fovea
