// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/run_program.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string_view>
#include <thread>

extern char** environ;

namespace fovea::test {

namespace {

class Pipe {
public:
    Pipe() {
        if (pipe2(ends_, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
    }
    ~Pipe() {
        closeWriter();
        close(ends_[0]);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    int writer() const { return ends_[1]; }
    void closeWriter() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }
    std::string readAll() const {
        std::string text;
        char buffer[4096];
        ssize_t count = 0;
        while ((count = read(ends_[0], buffer, sizeof buffer)) > 0)
            text.append(buffer, static_cast<size_t>(count));
        return text;
    }

private:
    int ends_[2] = {-1, -1};
};

std::vector<std::string> environmentFor(const ProgramSurroundings& surroundings) {
    std::vector<std::string> variables;
    for (char** entry = environ; *entry; ++entry) {
        const std::string_view variable = *entry;
        const std::string name(variable.substr(0, variable.find('=')));
        const auto& without = surroundings.without;
        const bool dropped = surroundings.environment.contains(name) ||
                             std::find(without.begin(), without.end(), name) != without.end();
        if (!dropped) variables.emplace_back(variable);
    }
    for (const auto& [name, value] : surroundings.environment) variables.push_back(name + "=" + value);
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

pid_t start(const std::string& program, const std::vector<std::string>& arguments,
            const ProgramSurroundings& surroundings, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (surroundings.stdoutClosed) {
        posix_spawn_file_actions_addclose(&actions, 1);
    } else if (!surroundings.stdoutPath.empty()) {
        posix_spawn_file_actions_addopen(&actions, 1, surroundings.stdoutPath.c_str(), O_WRONLY, 0);
    } else {
        posix_spawn_file_actions_adddup2(&actions, out.writer(), 1);
    }
    posix_spawn_file_actions_adddup2(&actions, err.writer(), 2);
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> variables = environmentFor(surroundings);
    pid_t child = -1;
    const int failed = posix_spawn(&child, program.c_str(), &actions, nullptr, pointersTo(words).data(),
                                   pointersTo(variables).data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) throw std::runtime_error("cannot run " + program);
    return child;
}

}  // namespace

ProgramResult runProgram(const std::string& program, const std::vector<std::string>& arguments,
                         const ProgramSurroundings& surroundings) {
    Pipe out;
    Pipe err;
    const pid_t child = start(program, arguments, surroundings, out, err);
    out.closeWriter();
    err.closeWriter();
    ProgramResult result;
    std::jthread outReader([&] { result.out = out.readAll(); });
    std::jthread errReader([&] { result.err = err.readAll(); });
    if (surroundings.interruptAfterMilliseconds >= 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(surroundings.interruptAfterMilliseconds));
        kill(child, SIGINT);
    }
    int status = 0;
    waitpid(child, &status, 0);
    outReader.join();
    errReader.join();
    if (WIFEXITED(status)) result.exitCode = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

}  // namespace fovea::test
