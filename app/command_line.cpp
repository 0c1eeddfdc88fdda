// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "app/commands/attend.h"
#include "app/commands/bench.h"
#include "app/commands/density.h"
#include "app/commands/evaluate.h"
#include "app/commands/export.h"
#include "app/commands/info.h"
#include "app/commands/memory.h"
#include "app/commands/tokenize.h"
#include "app/commands/trace.h"
#include "app/commands/train.h"
#include "app/window/run_window.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;

struct Command {
    std::string_view name;
    std::string_view summary;
    int (*run)(const Arguments&);
};

constexpr std::array<Command, 10> commands{{
    {"info", "what a model folder holds", runInfo},
    {"tokenize", "ids, tokens and spans of a text", runTokenize},
    {"trace", "run a model; write its attention and outputs", runTrace},
    {"attend", "attention weights of an array of scores", runAttend},
    {"density", "continuous attention over a line or a grid", runDensity},
    {"memory", "fixed-size memory of linear attention", runMemory},
    {"export", "draw the attention of one head as a figure", runExport},
    {"train", "train what a recipe describes", runTrain},
    {"evaluate", "measure a trained model again", runEvaluate},
    {"bench", "timings against LibTorch", runBench},
}};

constexpr std::array<std::string_view, 1> laterCommands{"analyse"};

// Qt's own options that take a word more.
constexpr std::array<std::string_view, 9> qtOptions{"-platform", "-style",    "-stylesheet",
                                                    "-geometry", "-display",  "-qwindowgeometry",
                                                    "-plugin",   "-platformpluginpath", "-platformtheme"};

std::string helpText() {
    std::string text = "Fovea shows what a model looks at, under any attention mechanism.\n\n"
                       "fovea [PATH...]         opens the window, on a model folder when one is given\n"
                       "fovea COMMAND --help    explains a command\n\nCommands:\n";
    for (const Command& command : commands)
        text += fmt::format("  {:<10} {}\n", command.name, command.summary);
    text += "\n  -h, --help     this text\n      --version  the version\n";
    return text;
}

int print(std::string_view text) {
    const auto printed = printText(text);
    if (printed) return exitSuccess;
    printError("fovea", printed.error().message);
    return exitUnusable;
}

int refuse(const std::string& message) {
    printError("fovea", message + "\n`fovea --help` lists the commands");
    return exitUsage;
}

template <std::size_t n>
bool isAmong(std::string_view word, const std::array<std::string_view, n>& words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

int openWindow(int argc, char** argv) {
    std::vector<fs::path> paths;
    bool onlyPaths = false;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!onlyPaths && word == "--") {
            onlyPaths = true;
        } else if (!onlyPaths && isAmong(word, qtOptions)) {
            ++i;
        } else if (!onlyPaths && word.starts_with('-') && word.size() > 1) {
            return refuse(fmt::format("there is no option {}", word));
        } else {
            std::error_code error;
            if (!fs::exists(word, error))
                return refuse(fmt::format("{} is neither a command nor a file", word));
            paths.emplace_back(word);
        }
    }
    return runWindow(argc, argv, paths);
}

}  // namespace

int runCommandLine(int argc, char** argv) {
    const std::string_view first = argc > 1 ? argv[1] : "";
    if (first == "-h" || first == "--help") return print(helpText());
    if (first == "--version") return print("fovea " FOVEA_VERSION "\n");
    const auto command = std::find_if(commands.begin(), commands.end(),
                                      [&](const Command& known) { return known.name == first; });
    if (command != commands.end()) return command->run(Arguments(argv + 2, argv + argc));
    if (isAmong(first, laterCommands)) {
        printError("fovea", fmt::format("the command {} is not there yet", first));
        return exitUsage;
    }
    return openWindow(argc, argv);
}

}  // namespace fovea::app
