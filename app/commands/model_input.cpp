// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/model_input.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/commands/command.h"
#include "core/io/safetensors.h"
#include "core/model/model_folder.h"
#include "core/model/runtime_module.h"
#include "core/session/text_input.h"

namespace fovea::app {

namespace {

Result<void> readInto(const io::SafetensorsFile& file, std::string_view name, std::vector<std::int64_t>& target) {
    const io::ArrayView* array = file.find(name);
    if (!array) return {};
    const std::string path = file.path().string();
    if (array->shape.size() != 1) {
        return fail(fmt::format("{}: {}: expected one axis (positions), without a batch axis; found {} axes of sizes {}",
                                path, name, array->shape.size(), io::shapeText(array->shape)));
    }
    auto converted = io::convertedArray<std::int64_t>(*array, name);
    if (!converted) return fail(fmt::format("{}: {}", path, converted.error().message));
    target = std::move(converted->values);
    return {};
}

Result<ModelInput> readInputs(const std::string& path) {
    const auto file = io::SafetensorsFile::open(path);
    if (!file) return std::unexpected(file.error());
    if (!(*file)->find("input_ids")) {
        return fail(fmt::format("{}: expected a tensor named input_ids, found none", path));
    }
    ModelInput input;
    const std::pair<const char*, std::vector<std::int64_t>*> wanted[] = {
        {"input_ids", &input.inputIds},
        {"attention_mask", &input.attentionMask},
        {"token_type_ids", &input.tokenTypeIds}};
    for (const auto& [name, target] : wanted) {
        if (auto read = readInto(**file, name, *target); !read) return std::unexpected(read.error());
        if (!target->empty() && target->size() != input.inputIds.size()) {
            return fail(fmt::format("{}: {}: expected {} entries as in input_ids, found {}", path, name,
                                    input.inputIds.size(), target->size()));
        }
    }
    if (input.inputIds.empty()) return fail(fmt::format("{}: input_ids: expected at least one token, found none", path));
    return input;
}

Result<void> useText(const ModelOptions& options, ReadyInput& ready) {
    const auto tokenizer = text::Tokenizer::fromFolder(options.model);
    if (!tokenizer) return std::unexpected(tokenizer.error());
    auto prepared = session::prepareText(**tokenizer, ready.info, {*options.text, options.pair});
    if (!prepared) return std::unexpected(prepared.error());
    ready.tokenizer = *tokenizer;
    ready.input = std::move(prepared->input);
    ready.tokens = std::move(prepared->tokens);
    ready.text = options.pair ? *options.text + " | " + *options.pair : *options.text;
    return {};
}

Result<void> useTensors(const ModelOptions& options, ReadyInput& ready) {
    auto input = readInputs(*options.inputs);
    if (!input) return std::unexpected(input.error());
    ready.input = std::move(*input);
    // Ids can be run without a tokenizer; then they are their own labels.
    if (auto tokenizer = text::Tokenizer::fromFolder(options.model)) ready.tokenizer = std::move(*tokenizer);
    ready.tokens = session::labelsOfIds(ready.tokenizer.get(), ready.input);
    return {};
}

}  // namespace

void addModelOptions(CLI::App& parser, ModelOptions& options) {
    parser.add_option("MODEL", options.model, "Model folder: config.json, model.safetensors, tokenizer.json")->required();
    parser.add_option("--text", options.text, "Text to run the model on");
    parser.add_option("--pair", options.pair, "Second text of a pair");
    parser.add_option("--inputs", options.inputs,
                      "safetensors file with input_ids, attention_mask, token_type_ids, without a batch axis");
    addLaterOptions(parser, {"image", "image-size", "max-new-tokens", "record"});
}

Result<ReadyInput> prepareInput(const ModelOptions& options) {
    if (options.text.has_value() == options.inputs.has_value()) {
        return fail("either --text or --inputs is needed", ErrorKind::Usage);
    }
    if (options.pair && !options.text) return fail("--pair needs --text", ErrorKind::Usage);
    auto info = model::describeFolder(options.model);
    if (!info) return std::unexpected(info.error());
    ReadyInput ready;
    ready.info = std::move(*info);
    const auto used = options.text ? useText(options, ready) : useTensors(options, ready);
    if (!used) return std::unexpected(used.error());
    return ready;
}

Result<std::shared_ptr<const LoadedModel>> loadModel(const ReadyInput& ready, const RunControl& control) {
    control.report("starting LibTorch", 0.0);
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    return (*runtime)->load(ready.info.folder, control);
}

Result<std::shared_ptr<const Trace>> runModel(const LoadedModel& model, const ReadyInput& ready,
                                              const MechanismPlan& plan, const RunControl& control) {
    auto ran = model.run(ready.input, plan, control);
    if (!ran) return std::unexpected(ran.error());
    auto labelled = std::make_shared<Trace>(**ran);
    labelled->tokens = ready.tokens;
    return labelled;
}

}  // namespace fovea::app
