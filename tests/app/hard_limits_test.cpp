// SPDX-License-Identifier: GPL-3.0-or-later
// What the system refuses ends a command with a sentence: no memory, no room for a file, no right to read.
// The limits are the system's own.
#include <unistd.h>

#include <gtest/gtest.h>

#include "tests/app/fovea_process.h"
#include "tests/support/broken_files.h"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

/// Runs the program under a limit of the shell's `ulimit`.
ProgramResult limited(const std::string& limit, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-c", "ulimit " + limit + "; exec \"$0\" \"$@\"", FOVEA_PROGRAM});
    return runProgram("/bin/sh", arguments);
}

TEST(Memory, that_json_does_not_get_is_told) {
    const TemporaryFolder folder;
    std::string many = "[[]";
    while (many.size() < 24'000'000) many += ",[]";
    writeBytes(folder / "tokenizer.json", many + "]");
    const auto result = limited("-v 500000", {"tokenize", folder.path().string(), "--text", "a"});
    EXPECT_TRUE(refused(result, 1, {"memory"}));
}

TEST(Memory, that_libtorch_does_not_get_is_told) {
    const TemporaryFolder folder;
    const auto result = limited("-v 200000", {"trace", (bundledDataFolder() / "models/llama-gqa").string(),
                                              "--text", "the dog", "-o", folder / "trace.safetensors"});
    EXPECT_TRUE(refused(result, 1, {"run-time module cannot be loaded"}));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FilesThatMayNotGrow, are_told_and_no_half_is_left) {
    const TemporaryFolder folder;
    const fs::path model = bundledDataFolder() / "models/llama-gqa";
    const auto result = limited("-f 1", {"trace", model.string(), "--text", "the dog and the cat", "-o",
                                         folder / "trace.safetensors"});
    EXPECT_TRUE(refused(result, 1, {"trace.safetensors", "cannot write"}));
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

TEST(FilesWithoutPermission, are_told_by_name) {
    if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
    const TemporaryFolder folder;
    fs::copy(bundledDataFolder() / "models/llama-gqa", folder / "model");
    fs::permissions(folder / "model/config.json", fs::perms::none);
    EXPECT_TRUE(refused(fovea({"info", folder / "model"}), 1, {"config.json", "Permission denied"}));
    fs::permissions(folder / "model", fs::perms::none);
    EXPECT_TRUE(refused(fovea({"info", folder / "model"}), 1, {"model"}));
    fs::permissions(folder / "model", fs::perms::owner_all);
}

}  // namespace
}  // namespace fovea::test
