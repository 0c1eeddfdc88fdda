// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of broken files, for the readers of arrays and weights.
#include <gtest/gtest.h>

#include <set>

#include "core/io/array_file.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "core/io/tensor_files.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;
using test::BrokenKind;

template <class T>
std::optional<std::string> messageOf(const Result<T>& result) {
    return result ? std::nullopt : std::optional(result.error().message);
}

void expectRefused(BrokenKind kind, const test::ReadBroken& read) {
    for (const std::string& complaint : test::complaintsAbout(kind, read)) ADD_FAILURE() << complaint;
}

TEST(BrokenFiles, of_safetensors_each_have_their_sentence) {
    expectRefused(BrokenKind::Safetensors, [](const fs::path&, const fs::path& file) {
        return messageOf(SafetensorsFile::open(file));
    });
}

TEST(BrokenFiles, of_npy_each_have_their_sentence) {
    expectRefused(BrokenKind::Npy,
                  [](const fs::path&, const fs::path& file) { return messageOf(readNpy(file)); });
}

TEST(BrokenFiles, of_npz_each_have_their_sentence) {
    expectRefused(BrokenKind::Npz, [](const fs::path&, const fs::path& file) {
        const auto arrays = readArrayFile(file);
        return arrays ? messageOf(floatingArray(*arrays)) : messageOf(arrays);
    });
}

TEST(BrokenFiles, of_torch_save_each_have_their_sentence) {
    expectRefused(BrokenKind::Torch, [](const fs::path&, const fs::path& file) {
        return messageOf(TensorFiles::openFile(file));
    });
}

TEST(BrokenFiles, of_an_index_each_have_their_sentence) {
    expectRefused(BrokenKind::Index, [](const fs::path&, const fs::path& file) {
        return messageOf(TensorFiles::openIndex(file));
    });
}

TEST(BrokenFiles, that_are_mended_are_read) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "a.npy", test::goodNpyFile());
    test::writeBytes(folder / "a.npz", test::goodNpz());
    test::writeBytes(folder / "a.bin", test::goodTorchFile());
    test::writeBytes(folder / "a.safetensors", test::goodDump());
    EXPECT_TRUE(readNpy(folder / "a.npy"));
    EXPECT_TRUE(readArrayFile(folder / "a.npz"));
    EXPECT_TRUE(TensorFiles::openFile(folder / "a.bin"));
    EXPECT_TRUE(SafetensorsFile::open(folder / "a.safetensors"));
}

TEST(BrokenFiles, are_many_and_have_names_of_their_own) {
    std::set<std::string> names;
    for (const test::CatalogueEntry& entry : test::brokenCatalogue())
        EXPECT_TRUE(names.insert(entry.name()).second) << entry.name();
    EXPECT_GE(names.size(), 60u);
}

}  // namespace
}  // namespace fovea::io
