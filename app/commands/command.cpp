// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "app/commands/progress_line.h"

namespace fovea::app {

namespace {

int exitCodeOf(const Error& error) {
    return error.kind == ErrorKind::Usage ? exitUsage : exitUnusable;
}

// A file's name may hold anything: line feeds, and what moves a terminal's cursor.
std::string oneLine(std::string message) {
    std::ranges::replace_if(
        message, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, '?');
    return message;
}

int usageError(const CLI::App& parser, std::string_view message) {
    const std::string firstLine(message.substr(0, message.find('\n')));
    printError(parser.get_name(),
               fmt::format("{}\n`{} --help` lists the options", firstLine, parser.get_name()));
    return exitUsage;
}

int finish(const CLI::App& parser, const Result<void>& result) {
    if (result) return exitSuccess;
    printError(parser.get_name(), oneLine(result.error().message));
    return exitCodeOf(result.error());
}

}  // namespace

int runCommand(CLI::App& parser, const Arguments& arguments,
               const std::function<Result<void>(const RunControl&)>& work) {
    try {
        try {
            Arguments reversed(arguments.rbegin(), arguments.rend());
            parser.parse(reversed);
        } catch (const CLI::CallForHelp&) {
            return finish(parser, printText(parser.help()));
        } catch (const CLI::ParseError& error) {
            return usageError(parser, error.what());
        }
        ProgressLine progress;
        const Result<void> result = work(RunControl{{}, progress.reporter()});
        progress.clear();
        return finish(parser, result);
    } catch (const std::bad_alloc&) {
        printError(parser.get_name(), "there is not enough memory for this input");
    } catch (const std::length_error&) {
        printError(parser.get_name(), "there is not enough memory for this input");
    } catch (const std::exception& error) {
        printError(parser.get_name(), oneLine(fmt::format("a fault in Fovea: {}", error.what())));
    } catch (...) {
        printError(parser.get_name(), "a fault in Fovea, of an unknown kind");
    }
    return exitUnusable;
}

void addLaterOptions(CLI::App& parser, const std::vector<std::string>& flagsWithoutDashes) {
    for (const std::string& name : flagsWithoutDashes) {
        const auto refuse = [name](const CLI::results_t&) -> bool {
            throw CLI::ValidationError("--" + name + " is not there yet", exitUsage);
        };
        parser.add_option("--" + name, refuse)->expected(0, 1)->group("");
    }
}

void printError(std::string_view command, std::string_view message) {
    const std::size_t firstEnd = message.find('\n');
    if (firstEnd != std::string_view::npos) message = message.substr(0, message.find('\n', firstEnd + 1));
    const std::string line = fmt::format("{}: {}\n", command, message);
    // Nothing can be told when stderr itself is closed.
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

Result<void> printText(std::string_view text) {
    errno = 0;
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
    if (!written || std::fflush(stdout) != 0) {
        return fail(fmt::format("standard output cannot be written: {}", std::strerror(errno)),
                    ErrorKind::Output);
    }
    return {};
}

}  // namespace fovea::app
