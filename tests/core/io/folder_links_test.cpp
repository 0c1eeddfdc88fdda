// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/folder_links.h"

#include <gtest/gtest.h>

#include "core/io/tensor_files.h"
#include "tests/support/broken_files.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

struct FolderLinks : testing::Test {
    FolderLinks() {
        fs::create_directories(folder / "model/inner");
        fs::create_directories(folder / "models--org--name/blobs");
        fs::create_directories(folder / "elsewhere/blobs");
        for (const char* file : {"model/own.json", "models--org--name/blobs/hash", "elsewhere/secret.json",
                                 "elsewhere/blobs/hash"})
            test::writeBytes(folder / file, "{}");
    }
    Result<void> check(const std::string& name) { return checkStaysInFolder(model / name, model); }
    void link(const std::string& name, const fs::path& target) { fs::create_symlink(target, model / name); }

    test::TemporaryFolder folder;
    fs::path model = folder / "model";
};

TEST_F(FolderLinks, to_files_of_the_folder_and_to_blobs_of_the_hub_are_followed) {
    link("inside.json", "own.json");
    link("inner/up.json", "../own.json");
    link("blob.json", "../models--org--name/blobs/hash");
    for (const char* name : {"own.json", "inside.json", "inner/up.json", "blob.json", "not there.json"})
        EXPECT_TRUE(check(name)) << name;
}

TEST_F(FolderLinks, that_lead_elsewhere_are_refused_with_the_place) {
    link("out.json", "../elsewhere/secret.json");
    link("absolute.json", fs::absolute(folder / "elsewhere/secret.json"));
    link("sub", "../elsewhere");
    link("blob of nothing.json", "../elsewhere/blobs/hash");
    link("device.json", "/dev/zero");
    link("dangling.json", "../elsewhere/nothing.json");
    link("first.json", "out.json");
    for (const char* name : {"out.json", "absolute.json", "sub/secret.json", "blob of nothing.json",
                             "device.json", "first.json", "../elsewhere/secret.json"}) {
        const auto inside = check(name);
        ASSERT_FALSE(inside) << name;
        EXPECT_TRUE(inside.error().message.contains("expected a file inside of the folder")) << name;
        EXPECT_TRUE(inside.error().message.contains(name)) << inside.error().message;
    }
}

TEST_F(FolderLinks, to_nothing_are_told) {
    link("dangling.json", "../models--org--name/blobs/missing");
    const auto inside = check("dangling.json");
    ASSERT_FALSE(inside);
    EXPECT_TRUE(inside.error().message.contains("models--org--name/blobs/missing, where there is no file"))
        << inside.error().message;
}

TEST_F(FolderLinks, in_a_circle_are_refused) {
    link("one.json", "two.json");
    link("two.json", "one.json");
    EXPECT_FALSE(check("one.json"));
}

TEST_F(FolderLinks, to_the_folder_itself_are_the_users_own) {
    fs::create_directory_symlink(model, folder / "shortcut");
    EXPECT_TRUE(checkStaysInFolder(folder / "shortcut/own.json", folder / "shortcut"));
}

TEST_F(FolderLinks, of_shards_that_an_index_names_are_not_followed_out) {
    test::writeBytes(
        folder / "elsewhere/other",
        test::safetensorsBytes(R"({"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]}})", "x"));
    link("weights.dat", "../elsewhere/other");
    test::writeBytes(model / "model.safetensors.index.json", R"({"weight_map": {"a": "weights.dat"}})");
    const auto files = TensorFiles::openIndex(model / "model.safetensors.index.json");
    ASSERT_FALSE(files);
    EXPECT_TRUE(files.error().message.contains("weights.dat: a link to")) << files.error().message;
}

}  // namespace
}  // namespace fovea::io
