// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/benchmarks/sample_models.h"

#include <fmt/format.h>

#include <QtGlobal>
#include <filesystem>

namespace fovea::app {

namespace {

namespace fs = std::filesystem;

Result<fs::path> sampleFolder(const std::string& name) {
    std::error_code problem;
    const fs::path program = fs::read_symlink("/proc/self/exe", problem);
    const fs::path shared = program.parent_path().parent_path() / "share/fovea/samples";
    const fs::path folder = (shared / name).lexically_normal();
    if (!problem && fs::exists(folder / "config.json", problem)) return folder;
    return fail(
        fmt::format("{}: expected the bundled model {}, found no such folder", folder.string(), name));
}

// A text as long as the model takes: words are added while it still fits.
session::InputChoice longestText(const widgets::OpenedModel& opened, session::InputChoice input) {
    const std::string once = input.text.text;
    while (true) {
        session::InputChoice longer = input;
        longer.text.text += " " + once.substr(0, once.find(' '));
        const auto fits = session::prepareInput(opened.tokenizer.get(), opened.info(), opened.preprocessing,
                                                longer, nullptr);
        if (!fits) return input;
        input = std::move(longer);
    }
}

}  // namespace

Result<std::shared_ptr<const Trace>> SampleModel::run(const MechanismPlan& plan,
                                                      const RunControl& control) const {
    return own->opened.model->run(own->prepared.input, plan, control);
}

void prepareQt() {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    if (!qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) qputenv("QT_LOGGING_RULES", "*.warning=false");
}

Result<SampleModel> openSampleModel(const std::string& name, const RunControl& control) {
    prepareQt();
    const auto folder = sampleFolder(name);
    if (!folder) return std::unexpected(folder.error());
    const auto opened = widgets::openSource(*folder, {}, control);
    if (!opened) return std::unexpected(opened.error());
    session::InputChoice input = widgets::openingInput(opened->info(), {});
    if (opened->info().readsText() && !input.picture) input = longestText(*opened, std::move(input));
    auto own = widgets::runOwn(*opened, input, control);
    if (!own) return std::unexpected(own.error());
    return SampleModel{name, std::move(*own)};
}

}  // namespace fovea::app
