// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/result.h"
#include "core/support/run_control.h"

namespace CLI {
class App;
}

namespace fovea::app {

/// The words after the command's name.
using Arguments = std::vector<std::string>;

/// Exit codes that scripts rely on.
enum ExitCode { exitSuccess = 0, exitUnusable = 1, exitUsage = 2 };

/// Parses `arguments` with `parser` (whose name is "fovea attend"), then calls `work`, whose progress is
/// shown when stderr is a terminal. Prints help on request, and errors as one or two lines on
/// stderr. Returns the exit code; nothing is thrown.
int runCommand(CLI::App& parser, const Arguments& arguments,
               const std::function<Result<void>(const RunControl&)>& work);

/// Options that are promised for later: known by name, refused as not there yet.
void addLaterOptions(CLI::App& parser, const std::vector<std::string>& flagsWithoutDashes);

/// Prints "fovea attend: message", the message cut to two lines, on stderr.
void printError(std::string_view command, std::string_view message);

/// Writes `text` on stdout. Errors: a closed pipe, a full disk.
Result<void> printText(std::string_view text);

}  // namespace fovea::app
