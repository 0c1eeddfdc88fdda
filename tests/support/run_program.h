// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <vector>

namespace fovea::test {

/// How a process ended, and what it said.
struct ProgramResult {
    int exitCode = -1;  ///< -1 when a signal ended it
    int signal = 0;     ///< 0 when it ended by itself
    std::string out;
    std::string err;
};

/// What is around the process.
struct ProgramSurroundings {
    std::map<std::string, std::string> environment;  ///< added to this process's own
    std::vector<std::string> without;                ///< variables that it does not see
    std::string stdoutPath;                          ///< instead of a pipe: "/dev/full"
    bool stdoutClosed = false;
    int interruptAfterMilliseconds = -1;             ///< sends SIGINT after that time
};

/// Runs `program` with `arguments`, with nothing to read, until it ends.
ProgramResult runProgram(const std::string& program, const std::vector<std::string>& arguments,
                         const ProgramSurroundings& surroundings = {});

}  // namespace fovea::test
