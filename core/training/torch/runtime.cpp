// SPDX-License-Identifier: GPL-3.0-or-later
// The entry of the run-time module: the only symbol that it shows.
#include <string_view>

#include <torch/version.h>

#include "core/model/runtime_entry.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/loaded_transformer.h"
#include "core/training/torch/timed_softmax.h"

namespace fovea::model {

namespace {

class NoTraining final : public TrainingRuntime {
public:
    Result<TrainingReport> train(const std::filesystem::path&, const std::filesystem::path&,
                                 const RunControl&) const override {
        return fail("training is not there yet", ErrorKind::Unsupported);
    }
    Result<TrainingReport> evaluate(const std::filesystem::path&, const RunControl&) const override {
        return fail("training is not there yet", ErrorKind::Unsupported);
    }
};

class TorchRuntime final : public ModelRuntime {
public:
    std::string version() const override { return TORCH_VERSION; }

    Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& folder,
                                                    const RunControl& control) const override {
        return guarded(folder.string(), [&] { return LoadedTransformer::load(folder, control); });
    }

    const TrainingRuntime& training() const override { return training_; }

    Result<std::vector<double>> softmaxSeconds(std::span<const float> scores, std::size_t columns,
                                               std::size_t repetitions) const override {
        return guarded("softmax", [&] { return timedSoftmax(scores, columns, repetitions); });
    }

private:
    NoTraining training_;
};

}  // namespace

}  // namespace fovea::model

extern "C" __attribute__((visibility("default"))) const fovea::ModelRuntime* foveaModelRuntime(
    const char* interface) {
    static const fovea::model::TorchRuntime runtime;
    return std::string_view(interface) == fovea::model::runtimeInterface ? &runtime : nullptr;
}
