// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/output_folder.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

using training::OutputFolder;
namespace fs = std::filesystem;

std::size_t entriesIn(const fs::path& folder) {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
}

TEST(OutputFolder, appears_whole_with_the_commit) {
    const TemporaryFolder around;
    auto folder = OutputFolder::create(around / "model");
    ASSERT_TRUE(folder) << folder.error().message;
    std::ofstream(folder->path() / "file") << "x";
    EXPECT_FALSE(fs::exists(around / "model"));
    ASSERT_TRUE(folder->commit());
    EXPECT_TRUE(fs::exists(around / "model/file"));
    EXPECT_EQ(entriesIn(around.path()), 1u);
}

TEST(OutputFolder, leaves_nothing_without_a_commit) {
    const TemporaryFolder around;
    {
        const auto folder = OutputFolder::create(around / "model/");
        ASSERT_TRUE(folder);
        std::ofstream(folder->path() / "file") << "x";
    }
    EXPECT_EQ(entriesIn(around.path()), 0u);
}

TEST(OutputFolder, takes_the_place_of_an_empty_folder_but_of_nothing_else) {
    const TemporaryFolder around;
    fs::create_directory(around / "model");
    auto folder = OutputFolder::create(around / "model");
    ASSERT_TRUE(folder) << folder.error().message;
    std::ofstream(folder->path() / "file") << "x";
    ASSERT_TRUE(folder->commit());
    const auto again = OutputFolder::create(around / "model");
    ASSERT_FALSE(again);
    EXPECT_NE(again.error().message.find("model"), std::string::npos);
    EXPECT_EQ(again.error().kind, ErrorKind::Output);
    EXPECT_FALSE(OutputFolder::create(around / "model/file"));
}

TEST(OutputFolder, needs_a_folder_around_it) {
    const TemporaryFolder around;
    const auto folder = OutputFolder::create(around / "missing/model");
    ASSERT_FALSE(folder);
    EXPECT_NE(folder.error().message.find("there is no folder"), std::string::npos) << folder.error().message;
}

}  // namespace
}  // namespace fovea::test
