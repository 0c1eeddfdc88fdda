// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/model_input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "app/commands/input_tensors.h"
#include "core/image/preprocess.h"
#include "core/model/model_folder.h"
#include "core/model/runtime_module.h"
#include "widgets/view_models/image_file.h"

namespace fovea::app {

namespace {

std::optional<std::size_t> pixelsOf(std::string_view text) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    return whole && value >= 1 && value <= (std::size_t{1} << 20) ? std::optional(value) : std::nullopt;
}

Result<image::Sizing> sizingOf(const std::optional<std::string>& size) {
    using Kind = image::Sizing::Kind;
    if (!size) return image::Sizing{};
    if (*size == "native") return image::Sizing{Kind::Native, 0, 0};
    const std::size_t cross = size->find('x');
    if (cross != std::string::npos) {
        const auto width = pixelsOf(std::string_view(*size).substr(0, cross));
        const auto height = pixelsOf(std::string_view(*size).substr(cross + 1));
        if (width && height) return image::Sizing{Kind::Given, *width, *height};
    }
    return fail(fmt::format("--image-size {}: expected WIDTHxHEIGHT in pixels, as 224x224, or native", *size),
                ErrorKind::Usage);
}

// Says which option is missing or too much, before the model's folder is more than described.
Result<void> checkOptions(const ModelInfo& info, const session::InputChoice& choice) {
    const bool text = !choice.text.text.empty();
    if (info.readsPictures() && !choice.picture) {
        return fail(fmt::format("{} reads pictures: --image is needed, found only a text", info.name));
    }
    if (!info.readsPictures() && choice.picture) {
        return fail(fmt::format("{} reads no pictures: --text is needed, found {}", info.name,
                                text ? "--image as well" : "--image"));
    }
    return {};
}

Result<ReadyInput> readyInput(const ModelInfo& info, Result<session::PreparedInput> prepared,
                              std::shared_ptr<const text::Tokenizer> tokenizer, std::string remark = {}) {
    if (!prepared) return std::unexpected(prepared.error());
    return ReadyInput{info, std::move(*prepared), std::move(remark), {}, std::move(tokenizer), {}};
}

Result<ReadyInput> prepareChoice(const session::InputChoice& choice, const ModelInfo& info) {
    if (auto fits = checkOptions(info, choice); !fits) return std::unexpected(fits.error());
    std::shared_ptr<const text::Tokenizer> tokenizer;
    if (info.readsText()) {
        auto read = text::Tokenizer::fromFolder(info.folder);
        if (!read) return std::unexpected(read.error());
        tokenizer = std::move(*read);
    }
    if (!choice.picture)
        return readyInput(info, session::prepareInput(tokenizer.get(), info, {}, choice, nullptr), tokenizer);
    const auto settings =
        image::readPreprocessing(info.folder, info.vision->imageHeight, info.vision->imageWidth);
    if (!settings) return std::unexpected(settings.error());
    auto decoded = widgets::decodeImage(choice.picture->file);
    if (!decoded) return std::unexpected(decoded.error());
    auto prepared = session::prepareInput(tokenizer.get(), info, *settings, choice, decoded->image);
    const std::string file = choice.picture->file.string();
    if (!prepared) return fail(fmt::format("{}: {}", file, prepared.error().message), prepared.error().kind);
    const std::string note = decoded->note.toStdString();
    return readyInput(info, std::move(prepared), tokenizer,
                      note.empty() ? note : fmt::format("{}: {}", file, note));
}

Result<ReadyInput> readTensors(const ModelOptions& options, const ModelInfo& info) {
    // Ids can be run without a tokenizer; then they are their own labels.
    std::shared_ptr<const text::Tokenizer> tokenizer;
    if (info.readsText()) tokenizer = text::Tokenizer::fromFolder(info.folder).value_or(nullptr);
    return readyInput(info, readInputTensors(*options.inputs, info, tokenizer.get()), tokenizer);
}

}  // namespace

void addLoadOptions(CLI::App& parser, LoadOptions& options) {
    parser.add_option("--first-layers", options.firstLayers, "Only the first layers of every stack, so many")
        ->check(CLI::Validator(wholeNumberError, ""));
    parser.add_flag("--body", options.bodyAlone,
                    "The model's body without its head, whose weights may then be missing");
}

void addModelOptions(CLI::App& parser, ModelOptions& options) {
    parser.add_option("MODEL", options.model, "Model folder: config.json, model.safetensors, tokenizer.json")
        ->required();
    parser.add_option("--text", options.text, "Text to run the model on");
    parser.add_option("--pair", options.pair, "Second text of a pair");
    parser.add_option("--target", options.target,
                      "What the decoder of an encoder-decoder reads instead of writing its own answer: its "
                      "start token, then this text's tokens without the end token behind them");
    parser.add_option("--image", options.image,
                      "Picture to run the model on: PNG, JPEG, WebP, GIF, BMP, TIFF");
    parser.add_option(
        "--image-size", options.imageSize,
        "WIDTHxHEIGHT, or native: the picture's own size; by default as the model's folder says");
    parser.add_option(
        "--inputs", options.inputs,
        "safetensors file with input_ids, attention_mask, token_type_ids, decoder_input_ids, pixel_values, "
        "without a batch axis");
    addLoadOptions(parser, options.load);
    parser.add_flag("--low-memory", options.load.readAsTheyRun,
                    "Read the weights of each layer when it runs, and give them up with it");
    addWritingOptions(parser, options.writing);
}

Result<session::InputChoice> inputChoiceOf(const ModelOptions& options) {
    if (options.pair && !options.text) return fail("--pair needs --text", ErrorKind::Usage);
    if (options.target && !options.text) return fail("--target needs --text", ErrorKind::Usage);
    if (options.imageSize && !options.image) return fail("--image-size needs --image", ErrorKind::Usage);
    if (options.text && options.text->empty())
        return fail("the text is empty: at least one character is needed");
    session::InputChoice choice;
    if (options.text) choice.text = {*options.text, options.pair, options.target};
    if (!options.image) return choice;
    const auto sizing = sizingOf(options.imageSize);
    if (!sizing) return std::unexpected(sizing.error());
    choice.picture = session::PictureChoice{*options.image, *sizing};
    return choice;
}

Result<ReadyInput> prepareInput(const ModelOptions& options) {
    if ((options.text || options.image) == options.inputs.has_value()) {
        return fail("either --text, --image or both, or --inputs is needed", ErrorKind::Usage);
    }
    const auto choice = inputChoiceOf(options);
    if (!choice) return std::unexpected(choice.error());
    auto info = model::describeFolder(options.model, options.load);
    if (!info) return std::unexpected(info.error());
    auto ready = options.inputs ? readTensors(options, *info) : prepareChoice(*choice, *info);
    if (!ready) return ready;
    const auto writing = writingOf(options.writing, *info, ready->prepared.input);
    if (!writing) return std::unexpected(writing.error());
    ready->load = options.load;
    ready->writing = *writing;
    return ready;
}

Result<std::shared_ptr<const LoadedModel>> loadModel(const ReadyInput& ready, const RunControl& control) {
    control.report("starting LibTorch", 0.0);
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    return (*runtime)->load(ready.info.folder, ready.load, control);
}

}  // namespace fovea::app
