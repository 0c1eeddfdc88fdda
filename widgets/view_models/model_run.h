// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <functional>
#include <memory>

#include "core/session/attention_dump.h"
#include "core/session/picture_input.h"
#include "core/support/run_control.h"
#include "core/text/tokenizer.h"
#include "core/trace/model_runtime.h"

namespace fovea::widgets {

/// What a source gives: a model that is ready to run, or the attention that a file holds.
struct OpenedModel {
    std::shared_ptr<const LoadedModel> model;          ///< null for a dump
    std::shared_ptr<const text::Tokenizer> tokenizer;  ///< null where no text is read
    image::PreprocessSettings preprocessing;           ///< where pictures are read
    std::shared_ptr<const session::AttentionDump> dump;  ///< null for a model
    std::filesystem::path source = {};                   ///< that it was opened from
    LoadOptions options = {};                            ///< and how

    const ModelInfo& info() const { return model ? model->info() : dump->info; }
};

/// One input through one model as it is, or a dump: what every panel starts from. Immutable once made.
struct ModelRun {
    OpenedModel opened;
    session::InputChoice input;
    session::PreparedInput prepared;
    std::shared_ptr<const Trace> own;  ///< the model's own run, tokens filled
    double milliseconds = 0;           ///< that the run took
    QString pictureNote;               ///< what is worth knowing of the picture's file; usually empty
    /// What was prepared before the model wrote to it; none where it wrote nothing.
    std::optional<session::PreparedInput> prompt = {};

    const ModelInfo& info() const { return opened.info(); }
    /// False for a dump: there is nothing that a mechanism could act inside.
    bool canRunAgain() const { return opened.model != nullptr; }
    /// What the model wrote, as text; empty where it wrote nothing.
    QString answer() const;
};

/// How a path becomes a model or dump; the tests put a synthetic one here.
using ModelOpener =
    std::function<Result<OpenedModel>(const std::filesystem::path&, const LoadOptions&, const RunControl&)>;

/// A folder: describes it, reads its tokenizer and preprocessor, opens the run-time module and loads the
/// weights; seconds for large models. A file of a dump's ending: reads it. Any thread. Missing or
/// wrongly shaped tensors are refused by name.
Result<OpenedModel> openSource(const std::filesystem::path& source, const LoadOptions& options,
                               const RunControl& control);

/// Decodes the picture, prepares the input, lets the model write where that is asked for, token by token with
/// what it wrote as the stage, and runs it as it is on the whole; of a dump, what it holds.
Result<std::shared_ptr<const ModelRun>> runOwn(const OpenedModel& opened, const session::InputChoice& input,
                                               const RunControl& control);

/// What the model writes to the prompt of `run` with `mechanism` at every site, with the run's own settings;
/// `each` is told the text so far. Needs a prompt.
Result<QString> rewrittenAnswer(const ModelRun& run, const EntmaxParameters& mechanism,
                                const std::function<void(const QString&)>& each, const RunControl& control);

/// Runs `model` on what was prepared, with `plan` in place of its softmax. The trace's tokens are filled.
Result<std::shared_ptr<const Trace>> labelledRun(const LoadedModel& model,
                                                 const session::PreparedInput& prepared,
                                                 const MechanismPlan& plan, const RunControl& control);

/// The input of `run` through its model with `mechanism` in place of softmax at every site.
Result<std::shared_ptr<const Trace>> runWhatIf(const ModelRun& run, const EntmaxParameters& mechanism,
                                               const RunControl& control);

/// The source that a path names: a dump, the folder of a file such as config.json, else the path itself.
std::filesystem::path sourceOf(const std::filesystem::path& path);

/// What a model is opened with: `sample.txt` (up to 64 KiB) and `sample.png` or `sample.jpg` of its folder,
/// else a plain sentence, and `samplePicture`; each as far as the model reads it.
session::InputChoice openingInput(const ModelInfo& info, const std::filesystem::path& samplePicture);

/// An input made for one model as another may read it: what the other has no use for is left out (a target
/// where there is one stack, new tokens where none are written, a picture or a text that is not read).
session::InputChoice fittedInput(session::InputChoice input, const OpenedModel& opened);

/// What was read, in one line: the text (both with a bar between), the picture's file name.
QString inputText(const session::InputChoice& input);

}  // namespace fovea::widgets
