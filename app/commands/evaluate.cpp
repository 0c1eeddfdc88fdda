// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/evaluate.h"

#include <CLI/CLI.hpp>

#include "app/commands/training_output.h"
#include "core/model/runtime_module.h"

namespace fovea::app {

namespace {

struct Options {
    std::string folder;
    bool json = false;
};

Result<void> evaluate(const Options& options, const RunControl& control) {
    const auto runtime = model::openRuntime();
    if (!runtime) return std::unexpected(runtime.error());
    const auto report = (*runtime)->training().evaluate(options.folder, control);
    if (!report) return std::unexpected(report.error());
    return printText(options.json ? reportJsonLine(*report, options.folder) : reportText(*report));
}

}  // namespace

int runEvaluate(const Arguments& arguments) {
    Options options;
    CLI::App parser("Measures a folder that `fovea train` wrote, on the test data of its recipe.",
                    "fovea evaluate");
    parser.add_option("DIR", options.folder, "Folder of a trained model")->required();
    parser.add_flag("--json", options.json, "Print one JSON object");
    return runCommand(parser, arguments,
                      [&](const RunControl& control) { return evaluate(options, control); });
}

}  // namespace fovea::app
