// SPDX-License-Identifier: GPL-3.0-or-later
// The entry of the run-time module: the only symbol that it shows.
#include <string_view>

#include <torch/version.h>

#include "core/model/runtime_entry.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/loaded_transformer.h"

namespace fovea::model {

namespace {

class TorchRuntime final : public ModelRuntime {
public:
    std::string version() const override { return TORCH_VERSION; }

    Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& folder,
                                                    const RunControl& control) const override {
        return guarded(folder.string(), [&] { return LoadedTransformer::load(folder, control); });
    }
};

}  // namespace

}  // namespace fovea::model

extern "C" __attribute__((visibility("default"))) const fovea::ModelRuntime* foveaModelRuntime(
    const char* interface) {
    static const fovea::model::TorchRuntime runtime;
    return std::string_view(interface) == fovea::model::runtimeInterface ? &runtime : nullptr;
}
