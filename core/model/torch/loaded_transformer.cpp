// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/loaded_transformer.h"

#include <algorithm>
#include <cmath>

#include <c10/core/InferenceMode.h>

#include "core/model/incomplete_error.h"
#include "core/model/input_check.h"
#include "core/model/opened_folder.h"
#include "core/model/torch/generation.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/threads.h"

namespace fovea::model {

Result<std::shared_ptr<const LoadedModel>> LoadedTransformer::load(const std::filesystem::path& folder,
                                                                   const LoadOptions& options,
                                                                   const RunControl& control) {
    Result<OpenedFolder> opened = openFolder(folder, options);
    if (!opened) return std::unexpected(opened.error());
    if (auto error = incompleteError(opened->info)) return std::unexpected(*error);
    const c10::InferenceMode inference;
    Result<Weights> weights = Weights::load(*opened, control, options);
    if (!weights) return std::unexpected(weights.error());
    return std::make_shared<LoadedTransformer>(std::move(opened->info), std::move(opened->settings),
                                               std::move(*weights));
}

Result<std::shared_ptr<const Trace>> LoadedTransformer::run(const ModelInput& input,
                                                            const MechanismPlan& plan,
                                                            const RunControl& control) const {
    return guarded(info_.folder.string(), [&]() -> Result<std::shared_ptr<const Trace>> {
        if (auto error = inputError(input, info_)) return std::unexpected(*error);
        const Result<MechanismPlan> usable = checked(plan, info_.sites);
        if (!usable) return std::unexpected(usable.error());
        const std::lock_guard lock(running_);
        const c10::InferenceMode inference;
        chooseThreads(transformer_.positions(input), info_.hiddenSize);
        Result<Trace> trace = transformer_.run(input, info_.sites, *usable, control);
        if (!trace) return std::unexpected(trace.error());
        if (auto damage = damageShownBy(*trace)) return std::unexpected(*damage);
        return std::make_shared<const Trace>(std::move(*trace));
    });
}

// Weights are looked at only when a result is not finite: reading all of them takes longer than a run.
std::optional<Error> LoadedTransformer::damageShownBy(const Trace& trace) const {
    const bool finite = std::ranges::all_of(trace.outputs, [](const OutputArray& output) {
        bool all = true;
        for (const float value : output.values) all &= std::isfinite(value);
        return all;
    });
    return finite ? std::nullopt : transformer_.weights().damage();
}

Result<GeneratedIds> LoadedTransformer::generate(const ModelInput& input, const MechanismPlan& plan,
                                                 const GenerationSettings& settings, const TokenSink& each,
                                                 const RunControl& control) const {
    return guarded(info_.folder.string(), [&]() -> Result<GeneratedIds> {
        if (auto error = generationError(input, info_, settings)) return std::unexpected(*error);
        const Result<MechanismPlan> usable = checked(plan, info_.sites);
        if (!usable) return std::unexpected(usable.error());
        const std::lock_guard lock(running_);
        const c10::InferenceMode inference;
        chooseThreads(transformer_.positions(input), info_.hiddenSize);
        auto ids = generated(transformer_, input, SiteRecorder(info_.sites, *usable, nullptr), settings, each,
                             control);
        if (ids || ids.error().kind == ErrorKind::Cancelled) return ids;
        // No token can be chosen where logits are NaN; that weights are damaged says more.
        if (auto damage = transformer_.weights().damage()) return std::unexpected(*damage);
        return ids;
    });
}

}  // namespace fovea::model
