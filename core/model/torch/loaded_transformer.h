// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <mutex>

#include "core/model/torch/transformer.h"
#include "core/trace/model_runtime.h"

namespace fovea::model {

/// A model of a folder, ready to run.
class LoadedTransformer final : public LoadedModel {
public:
    static Result<std::shared_ptr<const LoadedModel>> load(const std::filesystem::path& folder,
                                                           const LoadOptions& options,
                                                           const RunControl& control);

    LoadedTransformer(ModelInfo info, TransformerSettings settings, Weights weights)
        : info_(std::move(info)), transformer_(std::move(settings), std::move(weights)) {}

    const ModelInfo& info() const override { return info_; }
    Result<std::shared_ptr<const Trace>> run(const ModelInput& input, const MechanismPlan& plan,
                                             const RunControl& control) const override;
    Result<GeneratedIds> generate(const ModelInput& input, const MechanismPlan& plan,
                                  const GenerationSettings& settings, const TokenSink& each,
                                  const RunControl& control) const override;

private:
    std::optional<Error> damageShownBy(const Trace& trace) const;

    ModelInfo info_;
    Transformer transformer_;
    mutable std::mutex running_;
};

}  // namespace fovea::model
