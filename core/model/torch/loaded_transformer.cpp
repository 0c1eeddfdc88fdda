// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/loaded_transformer.h"

#include <algorithm>

#include <c10/core/InferenceMode.h>
#include <fmt/format.h>

#include "core/model/input_check.h"
#include "core/model/opened_folder.h"
#include "core/model/torch/guard.h"
#include "core/model/torch/threads.h"

namespace fovea::model {

namespace {

std::string someNames(std::vector<std::string> names) {
    constexpr std::size_t few = 4;
    const std::size_t more = names.size() > few ? names.size() - few : 0;
    names.resize(names.size() - more);
    std::string text = fmt::format("{}", fmt::join(names, ", "));
    return more ? fmt::format("{} and {} more", text, more) : text;
}

// Refuses a report with gaps: one line for what is missing, one for wrong shapes.
std::optional<Error> gaps(const OpenedFolder& folder) {
    const LoadReport& report = folder.match.report;
    if (report.complete()) return std::nullopt;
    const std::string file = folder.weights->path().string();
    std::string message;
    if (!report.missing.empty()) {
        message = fmt::format("{}: expected tensors of {} are missing: {}", file,
                              folder.settings.architecture, someNames(report.missing));
    }
    if (!report.mismatched.empty()) {
        std::vector<std::string> shapes;
        for (const ShapeMismatch& tensor : report.mismatched) {
            shapes.push_back(fmt::format("{}: expected {}, found {}", tensor.name,
                                         io::shapeText(tensor.expected), io::shapeText(tensor.found)));
        }
        message +=
            fmt::format("{}{}: wrong shape of {}", message.empty() ? "" : "\n", file, someNames(shapes));
    }
    return Error{message};
}

}  // namespace

Result<std::shared_ptr<const LoadedModel>> LoadedTransformer::load(const std::filesystem::path& folder,
                                                                   const RunControl& control) {
    Result<OpenedFolder> opened = openFolder(folder);
    if (!opened) return std::unexpected(opened.error());
    if (auto error = gaps(*opened)) return std::unexpected(*error);
    const c10::InferenceMode inference;
    Result<Weights> weights = Weights::load(*opened, control);
    if (!weights) return std::unexpected(weights.error());
    Transformer transformer(std::move(opened->settings), std::move(*weights));
    return std::make_shared<LoadedTransformer>(std::move(opened->info), std::move(transformer));
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
        chooseThreads(input.inputIds.size(), info_.hiddenSize);
        Result<Trace> trace = transformer_.run(input, info_.sites, *usable, control);
        if (!trace) return std::unexpected(trace.error());
        return std::make_shared<const Trace>(std::move(*trace));
    });
}

}  // namespace fovea::model
