// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/train.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "app/commands/stop_on_interrupt.h"
#include "app/commands/training_output.h"
#include "core/model/runtime_module.h"

namespace fovea::app {

namespace {

struct Options {
    std::string recipe;
    std::string folder;
    bool json = false;
};

Result<void> train(const Options& options, const RunControl& control) {
    const StopOnInterrupt interrupt;
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    const std::string folder =
        options.folder.empty() ? std::filesystem::path(options.recipe).stem().string() : options.folder;
    const auto report =
        (*runtime)->training().train(options.recipe, folder, RunControl{interrupt.token(), control.progress});
    if (!report) return std::unexpected(report.error());
    return printText(options.json ? reportJsonLine(*report, folder) : reportText(*report));
}

}  // namespace

int runTrain(const Arguments& arguments) {
    Options options;
    CLI::App parser("Trains what a recipe describes and writes a model folder with its measures.",
                    "fovea train");
    parser.add_option("RECIPE", options.recipe, "Recipe, a JSON file")->required();
    parser.add_option("-o,--output", options.folder, "Folder to write; by default named as the recipe, here");
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments, [&](const RunControl& control) { return train(options, control); });
}

}  // namespace fovea::app
