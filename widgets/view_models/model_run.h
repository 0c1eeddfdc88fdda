// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "core/session/text_input.h"
#include "core/support/run_control.h"
#include "core/text/tokenizer.h"
#include "core/trace/model_runtime.h"

namespace fovea::widgets {

/// A model that is ready to run on texts.
struct OpenedModel {
    std::shared_ptr<const LoadedModel> model;
    std::shared_ptr<const text::Tokenizer> tokenizer;
};

/// One text through one model as it is: what every panel starts from. Immutable once made.
struct ModelRun {
    OpenedModel opened;
    session::TextInput text;
    session::PreparedInput prepared;
    std::shared_ptr<const Trace> own;  ///< the model's own run, tokens filled
    double milliseconds = 0;           ///< that the run took

    const ModelInfo& info() const { return opened.model->info(); }
};

/// How a folder becomes a model; the tests put a synthetic one here.
using ModelOpener = std::function<Result<OpenedModel>(const std::filesystem::path&, const RunControl&)>;

/// Describes the folder, reads its tokenizer, opens the run-time module and loads the weights.
/// Takes seconds for large models; any thread. Missing or wrongly shaped tensors are refused by name.
Result<OpenedModel> openModelFolder(const std::filesystem::path& folder, const RunControl& control);

/// Prepares `text` and runs the model as it is.
Result<std::shared_ptr<const ModelRun>> runOwn(const OpenedModel& opened, const session::TextInput& text,
                                               const RunControl& control);

/// The text of `run` through its model with `mechanism` in place of softmax at every site.
Result<std::shared_ptr<const Trace>> runWhatIf(const ModelRun& run, const EntmaxParameters& mechanism,
                                               const RunControl& control);

/// The model folder that a path names: the folder of a file such as config.json, else the path itself.
std::filesystem::path modelFolderOf(const std::filesystem::path& path);

/// What a folder is opened with: the text of its `sample.txt` (up to 64 KiB), else a plain sentence.
session::TextInput openingText(const std::filesystem::path& folder);

}  // namespace fovea::widgets
