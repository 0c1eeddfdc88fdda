// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/figure_source.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "core/session/attention_dump.h"
#include "core/session/session_file.h"
#include "widgets/view_models/file_hash.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;

Result<void> refuseInputs(const ModelOptions& options, std::string_view kind, bool imageAllowed) {
    const std::pair<const char*, bool> given[] = {{"--text", options.text.has_value()},
                                                  {"--pair", options.pair.has_value()},
                                                  {"--target", options.target.has_value()},
                                                  {"--image", options.image && !imageAllowed},
                                                  {"--image-size", options.imageSize.has_value()},
                                                  {"--inputs", options.inputs.has_value()},
                                                  {"--max-new-tokens", options.writing.newTokens.has_value()},
                                                  {"--sample", options.writing.sample}};
    for (const auto& [name, set] : given) {
        if (set) {
            return fail(fmt::format("{}: a {} holds its input: {} is not for it", options.model, kind, name),
                        ErrorKind::Usage);
        }
    }
    return {};
}

FigureSource alone(std::shared_ptr<const widgets::ModelRun> run) {
    FigureSource source;
    source.runs = {std::move(run)};
    source.document.panels.clear();
    return source;
}

bool isSameModel(const session::Side& a, const session::Side& b) {
    return a.source == b.source && a.options == b.options;
}

// Two sides of one model are loaded once.
Result<FigureSource> openSession(const ModelOptions& options, const RunControl& control) {
    if (auto alone = refuseInputs(options, "session", false); !alone) return std::unexpected(alone.error());
    auto session = session::readSession(options.model, widgets::fileHash);
    if (!session) return std::unexpected(session.error());
    if (!session->moved.empty()) {
        const session::MovedFile& moved = session->moved.front();
        const bool picture = moved.role == session::MovedFile::Role::Picture;
        return fail(fmt::format("{}: its {} is not at {} any more", options.model,
                                picture ? "picture" : "model", moved.expected.string()));
    }
    const session::DocumentState& document = session->document;
    FigureSource source{{}, document, session->changed};
    std::optional<widgets::OpenedModel> opened;
    for (std::size_t index = 0; index < document.sides.size(); ++index) {
        const session::Side& side = document.sides[index];
        if (index == 0 || !isSameModel(side, document.sides[index - 1])) {
            auto found = widgets::openSource(side.source, side.options, control);
            if (!found) return std::unexpected(found.error());
            opened = std::move(*found);
        }
        auto run = widgets::runOwn(*opened, side.input, control);
        if (!run) return std::unexpected(run.error());
        source.runs.push_back(std::move(*run));
    }
    return source;
}

Result<FigureSource> openDump(const ModelOptions& options, const RunControl& control) {
    if (auto alone = refuseInputs(options, "dump", true); !alone) return std::unexpected(alone.error());
    const auto choice = inputChoiceOf(options);
    if (!choice) return std::unexpected(choice.error());
    const auto opened = widgets::openSource(options.model, {}, control);
    if (!opened) return std::unexpected(opened.error());
    auto run = widgets::runOwn(*opened, *choice, control);
    if (!run) return std::unexpected(run.error());
    return alone(std::move(*run));
}

// The input is made ready before the weights are loaded: most errors are its.
Result<FigureSource> runFolder(const ModelOptions& options, const RunControl& control) {
    auto ready = prepareInput(options);
    if (!ready) return std::unexpected(ready.error());
    const auto model = loadModel(*ready, control);
    if (!model) return std::unexpected(model.error());
    std::optional<session::PreparedInput> prompt;
    if (ready->writing) prompt = ready->prepared;
    const auto wrote =
        letWrite(**model, ready->tokenizer.get(), ready->writing, {}, ready->prepared, control);
    if (!wrote) return std::unexpected(wrote.error());
    const auto own = widgets::labelledRun(**model, ready->prepared, {}, control);
    if (!own) return std::unexpected(own.error());
    auto run = std::make_shared<widgets::ModelRun>();
    run->opened.model = *model;
    run->input = inputChoiceOf(options).value_or(session::InputChoice{});
    run->prepared = std::move(ready->prepared);
    run->own = *own;
    run->prompt = std::move(prompt);
    return alone(std::move(run));
}

}  // namespace

bool isSessionName(const std::string& name) {
    return fs::path(name).extension() == ".fovea";
}

Result<FigureSource> openFigureSource(const ModelOptions& options, const RunControl& control) {
    if (isSessionName(options.model)) return openSession(options, control);
    if (session::looksLikeDump(options.model)) return openDump(options, control);
    return runFolder(options, control);
}

}  // namespace fovea::app
