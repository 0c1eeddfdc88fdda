// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/writing_options.h"
#include "core/session/picture_input.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/text/tokenizer.h"
#include "core/trace/model_runtime.h"

namespace CLI {
class App;
}

namespace fovea::app {

/// A model and what it is to be run on, as `trace` and `export` are told.
struct ModelOptions {
    std::string model;
    std::optional<std::string> text;
    std::optional<std::string> pair;
    std::optional<std::string> target;
    std::optional<std::string> image;
    std::optional<std::string> imageSize;  ///< "WxH" or "native"
    std::optional<std::string> inputs;     ///< safetensors file
    LoadOptions load;
    WritingOptions writing;
};

/// Adds MODEL, --text, --pair, --target, --image, --image-size and --inputs, and how the model is loaded and
/// goes on.
void addModelOptions(CLI::App& parser, ModelOptions& options);

/// Adds --first-layers and --body.
void addLoadOptions(CLI::App& parser, LoadOptions& options);

/// What --text, --pair, --target, --image and --image-size choose. Errors (usage): a combination that says
/// nothing.
Result<session::InputChoice> inputChoiceOf(const ModelOptions& options);

/// An input that fits the model; nothing is loaded yet.
struct ReadyInput {
    ModelInfo info;
    session::PreparedInput prepared;
    std::string remark;  ///< what is worth knowing of the picture's file; usually empty
    LoadOptions load = {};
    std::shared_ptr<const text::Tokenizer> tokenizer = nullptr;  ///< null where there is none
    std::optional<GenerationSettings> writing = {};              ///< none: the model writes nothing
};

/// Describes the model's folder and prepares the text and the picture, or reads the tensors, without
/// LibTorch.
Result<ReadyInput> prepareInput(const ModelOptions& options);

/// Opens the run-time module and loads the weights.
Result<std::shared_ptr<const LoadedModel>> loadModel(const ReadyInput& ready, const RunControl& control);

}  // namespace fovea::app
