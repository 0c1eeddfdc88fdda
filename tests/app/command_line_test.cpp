// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

TEST(CommandLine, help_and_version_succeed_without_a_display) {
    const ProgramSurroundings noDisplay{{}, {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}, {}, false, -1};
    for (const char* word : {"--help", "-h", "--version"}) {
        const auto result = fovea({word}, noDisplay);
        EXPECT_EQ(result.exitCode, 0) << result.err;
        EXPECT_FALSE(result.out.empty());
        EXPECT_TRUE(result.err.empty()) << result.err;
    }
    for (const char* command : {"info", "tokenize", "trace", "attend", "density", "memory", "export"}) {
        const auto result = fovea({command, "--help"}, noDisplay);
        EXPECT_EQ(result.exitCode, 0) << command << result.err;
        EXPECT_NE(result.out.find("fovea " + std::string(command)), std::string::npos);
        EXPECT_NE(result.out.find("--"), std::string::npos);
    }
}

TEST(CommandLine, a_window_without_a_display_is_refused_with_a_sentence) {
    const ProgramSurroundings noDisplay{{}, {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}, {}, false, -1};
    EXPECT_TRUE(refused(fovea({}, noDisplay), 1, {"no display", "fovea export"}));
}

TEST(CommandLine, commands_of_later_are_refused_as_not_there_yet) {
    for (const char* command : {"analyse"}) {
        EXPECT_TRUE(refused(fovea({command}), 2, {command, "not there yet"}));
        EXPECT_TRUE(refused(fovea({command, "--json", "x"}), 2, {"not there yet"}));
    }
}

TEST(CommandLine, options_of_later_are_refused_as_not_there_yet) {
    const std::vector<std::vector<std::string>> lines{
        {"export", "m", "--text", "t", "--view", "lines", "-o", "o.svg"}};
    for (const auto& line : lines)
        EXPECT_TRUE(refused(fovea(line), 2, {"not there yet"})) << line[0] << line[2];
}

TEST(CommandLine, wrong_usage_ends_with_two) {
    const std::vector<std::vector<std::string>> lines{
        {"--nosuch"},
        {"nosuchcommand"},
        {"info"},
        {"info", "a", "b"},
        {"info", "a", "--nosuch"},
        {"tokenize", "m"},
        {"tokenize", "m", "--text", "a", "--file", "f"},
        {"tokenize", "m", "--file", "f", "--pair", "b"},
        {"trace", "m", "--text", "a"},
        {"trace", "m", "-o", "o"},
        {"trace", "m", "--text", "a", "--inputs", "f", "-o", "o"},
        {"trace", "m", "--text", "a", "--max-new-tokens", "-3", "-o", "o"},
        {"trace", "m", "--text", "a", "--max-new-tokens", "2.5", "-o", "o"},
        {"attend", "s.npy"},
        {"attend", "-o", "o.npy"},
        {"attend", "s.npy", "--alpha", "abc", "-o", "o.npy"},
        {"attend", "s.npy", "--alpha", "-o", "o.npy"},
        {"density", "--json"},
        {"density", "--mean", "0.5", "--json"},
        {"density", "--mean", "x", "--scale", "1", "--json"},
        {"density", "--mean", "0.5", "--scale", "1", "--weights", "w.npy", "--json"},
        {"density", "--weights", "w.npy", "--match", "nosuch", "--json"},
        {"density", "--weights", "w.npy", "--floor", "nosuch", "--json"},
        {"export", "m", "--text", "t"},
        {"export", "m", "--text", "t", "--layer", "-1", "-o", "o.svg"},
        {"export", "m", "--text", "t", "--theme", "nosuch", "-o", "o.svg"}};
    for (const auto& line : lines) EXPECT_TRUE(refused(fovea(line), 2)) << testing::PrintToString(line);
}

TEST(CommandLine, a_full_disk_or_closed_stdout_is_an_error_and_no_signal) {
    ProgramSurroundings full;
    full.stdoutPath = "/dev/full";
    EXPECT_TRUE(refused(fovea({"density", "--mean", "0.5", "--scale", "1"}, full), 1, {"standard output"}));
    ProgramSurroundings closed;
    closed.stdoutClosed = true;
    EXPECT_TRUE(refused(fovea({"density", "--mean", "0.5", "--scale", "1"}, closed), 1, {"standard output"}));
    EXPECT_TRUE(refused(fovea({"--help"}, closed), 1));
}

}  // namespace
}  // namespace fovea::test
