// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/idx_file.h"

#include <fstream>

#include <gtest/gtest.h>
#include <zlib.h>

#include "core/training/garment_set.h"
#include "tests/support/test_data.h"

namespace fovea::test {
namespace {

using training::readIdxFile;
namespace fs = std::filesystem;

std::string idxBytes(const std::vector<std::size_t>& shape, const std::string& values) {
    std::string bytes{'\0', '\0', '\x08', static_cast<char>(shape.size())};
    for (const std::size_t extent : shape) {
        for (const int shift : {24, 16, 8, 0}) bytes.push_back(static_cast<char>(extent >> shift & 255));
    }
    return bytes + values;
}

void writePlain(const fs::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
}

void writeGzip(const fs::path& path, const std::string& bytes) {
    const gzFile file = gzopen(path.c_str(), "wb");
    ASSERT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())),
              static_cast<int>(bytes.size()));
    ASSERT_EQ(gzclose(file), Z_OK);
}

std::string contentOf(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(IdxFile, reads_what_was_written_with_and_without_gzip) {
    const TemporaryFolder folder;
    const std::string bytes = idxBytes({2, 1, 3}, "abcdef");
    writePlain(folder / "plain", bytes);
    writeGzip(folder / "packed.gz", bytes);
    for (const fs::path& path : {folder / "plain", folder / "packed.gz"}) {
        const auto array = readIdxFile(path, 3);
        ASSERT_TRUE(array) << array.error().message;
        EXPECT_EQ(array->shape, (std::vector<std::size_t>{2, 1, 3}));
        EXPECT_EQ(std::string(array->values.begin(), array->values.end()), "abcdef");
    }
}

struct BrokenIdx {
    std::string name;
    std::string bytes;
    std::string expected;  // part of the message
};

std::vector<BrokenIdx> brokenIdxFiles() {
    std::string otherType = idxBytes({2}, "ab");
    otherType[2] = '\x0D';
    return {{"empty", "", "first bytes"},
            {"a_text", "hello, world", "first bytes"},
            {"of_floats", otherType, "type 13"},
            {"with_three_axes", idxBytes({1, 1, 1}, "a"), "found 3"},
            {"ending_in_its_extents", idxBytes({2}, "").substr(0, 6), "the end"},
            {"too_short", idxBytes({4}, "abc"), "found 3"},
            {"too_long", idxBytes({4}, "abcde"), "more"},
            {"of_four_gigabytes", idxBytes({0xFFFFFFFF}, "abc"), "at most"}};
}

TEST(IdxFile, names_the_file_and_the_defect) {
    const TemporaryFolder folder;
    for (const BrokenIdx& broken : brokenIdxFiles()) {
        const fs::path path = folder / broken.name;
        writePlain(path, broken.bytes);
        const auto array = readIdxFile(path, 1);
        ASSERT_FALSE(array) << broken.name;
        EXPECT_NE(array.error().message.find(path.string()), std::string::npos) << array.error().message;
        EXPECT_NE(array.error().message.find(broken.expected), std::string::npos) << array.error().message;
    }
}

TEST(IdxFile, of_many_axes_of_a_huge_product_is_refused) {
    const TemporaryFolder folder;
    writePlain(folder / "huge", idxBytes({1 << 20, 1 << 20, 1 << 20}, "abc"));
    const auto array = readIdxFile(folder / "huge", 3);
    ASSERT_FALSE(array);
    EXPECT_NE(array.error().message.find("at most"), std::string::npos) << array.error().message;
}

TEST(IdxFile, that_is_missing_or_a_folder_is_refused) {
    const TemporaryFolder folder;
    EXPECT_FALSE(readIdxFile(folder / "missing", 1));
    EXPECT_FALSE(readIdxFile(folder.path(), 1));
}

TEST(IdxFile, of_damaged_gzip_is_refused_wherever_the_damage_is) {
    const TemporaryFolder folder;
    std::string values;
    for (int i = 0; i < 5000; ++i) values.push_back(static_cast<char>(i * i % 251));
    writeGzip(folder / "whole.gz", idxBytes({5000}, values));
    const std::string whole = contentOf(folder / "whole.gz");
    for (const std::size_t length : {whole.size() - 1, whole.size() - 9, whole.size() / 2, std::size_t{12}}) {
        writePlain(folder / "cut.gz", whole.substr(0, length));
        EXPECT_FALSE(readIdxFile(folder / "cut.gz", 1)) << length << " of " << whole.size() << " bytes";
    }
    std::string changed = whole;
    changed[changed.size() - 6] ^= 1;  // in the checksum
    writePlain(folder / "changed.gz", changed);
    const auto array = readIdxFile(folder / "changed.gz", 1);
    ASSERT_FALSE(array);
    EXPECT_NE(array.error().message.find("damage"), std::string::npos) << array.error().message;
}

/// A data set in miniature: 28 x 28 pictures of the labels.
void writeDataSet(const fs::path& folder, const std::string& labels) {
    std::string pictures;
    for (const char label : labels) pictures.append(28 * 28, static_cast<char>(label * 10));
    for (const std::string part : {"train", "t10k"}) {
        writeGzip(folder / (part + "-images-idx3-ubyte.gz"), idxBytes({labels.size(), 28, 28}, pictures));
        writeGzip(folder / (part + "-labels-idx1-ubyte.gz"), idxBytes({labels.size()}, labels));
    }
}

TEST(FashionMnist, is_split_without_a_garment_in_two_parts) {
    const TemporaryFolder folder;
    writeDataSet(folder.path(), {3, 1, 3, 7, 3, 7, 7, 3});
    const std::vector<std::size_t> classes = {7, 3};
    const auto split = training::readFashionMnist(folder.path(), classes, 2);
    ASSERT_TRUE(split) << split.error().message;
    EXPECT_EQ(split->training.count(0), 2u);
    EXPECT_EQ(split->training.count(1), 3u);
    EXPECT_EQ(split->development.count(0), 1u);
    EXPECT_EQ(split->development.count(1), 1u);
    EXPECT_EQ(split->test.count(0), 3u);
    EXPECT_EQ(split->test.picture(0, 0)[5], 70);
    EXPECT_EQ(split->training.picture(1, 2)[0], 30);
}

TEST(FashionMnist, that_is_not_installed_is_named_by_its_package) {
    const TemporaryFolder folder;
    const auto split = training::readFashionMnist(folder / "nothing", std::vector<std::size_t>{1}, 2);
    ASSERT_FALSE(split);
    EXPECT_NE(split.error().message.find("dataset-fashion-mnist"), std::string::npos)
        << split.error().message;
}

TEST(FashionMnist, whose_files_do_not_belong_together_is_refused) {
    const TemporaryFolder folder;
    writeDataSet(folder.path(), {3, 1, 3, 7});
    writeGzip(folder / "t10k-labels-idx1-ubyte.gz", idxBytes({3}, {3, 1, 3}));
    const auto split = training::readFashionMnist(folder.path(), std::vector<std::size_t>{3}, 1);
    ASSERT_FALSE(split);
    EXPECT_NE(split.error().message.find("label"), std::string::npos) << split.error().message;
}

TEST(FashionMnist, without_garments_of_a_kind_is_refused) {
    const TemporaryFolder folder;
    writeDataSet(folder.path(), {3, 1, 3, 7});
    EXPECT_FALSE(training::readFashionMnist(folder.path(), std::vector<std::size_t>{3, 9}, 2));
}

}  // namespace
}  // namespace fovea::test
