// SPDX-License-Identifier: GPL-3.0-or-later
// The entry of the run-time module: the only symbol that it shows.
#include <string_view>

#include <torch/version.h>

#include "core/model/runtime_entry.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/loaded_transformer.h"
#include "core/training/torch/eager_script.h"
#include "core/training/torch/timed_peers.h"
#include "core/training/torch/torch_training.h"

namespace fovea::training {

namespace {

class TorchRuntime final : public ModelRuntime {
public:
    std::string version() const override { return TORCH_VERSION; }

    Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& folder,
                                                    const LoadOptions& options,
                                                    const RunControl& control) const override {
        return model::guarded(folder.string(),
                              [&] { return model::LoadedTransformer::load(folder, options, control); });
    }

    const TrainingRuntime& training() const override { return training_; }

    Result<double> softmaxSeconds(std::span<const float> scores, std::size_t columns,
                                  std::span<float> weights) const override {
        return model::guarded("softmax", [&] { return timedSoftmax(scores, columns, weights); });
    }

    Result<double> softmaxBackwardSeconds(std::span<const float> weights, std::span<const float> upstream,
                                          std::size_t columns, std::span<float> gradient) const override {
        return model::guarded("softmax backward",
                              [&] { return timedSoftmaxBackward(weights, upstream, columns, gradient); });
    }

    Result<double> attentionSeconds(std::span<const float> states, std::span<const float> queries,
                                    std::size_t width, QueryOrder order,
                                    std::span<float> answers) const override {
        return model::guarded("attention",
                              [&] { return timedAttention(states, queries, width, order, answers); });
    }

    Result<std::shared_ptr<const TimedScript>> eagerScript(
        const std::filesystem::path& folder) const override {
        return model::guarded(folder.string(), [&] { return training::eagerScript(folder); });
    }

private:
    TorchTraining training_;
};

}  // namespace

}  // namespace fovea::training

extern "C" __attribute__((visibility("default"))) const fovea::ModelRuntime* foveaModelRuntime(
    const char* interface) {
    static const fovea::training::TorchRuntime runtime;
    return std::string_view(interface) == fovea::model::runtimeInterface ? &runtime : nullptr;
}
