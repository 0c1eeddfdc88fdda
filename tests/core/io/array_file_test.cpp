// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/array_file.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <zip.h>

#include "core/io/files.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

TEST(ArrayFiles, written_npz_files_are_read_back_equal) {
    const test::TemporaryFolder folder;
    const Array<float> numbers{{2, 3}, {1, 2, 3, 4, 5, 6}};
    const std::vector<NpzEntry> entries{{"numbers", numbers},
                                        {"counts", Array<std::int64_t>{{2}, {-7, 9}}},
                                        {"texts", std::vector<std::string>{"ä", "", "🦊🦊"}}};
    ASSERT_TRUE(writeNpz(folder / "all.npz", entries));
    const auto file = readArrayFile(folder / "all.npz");
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->arrays.size(), 3U);
    EXPECT_TRUE(
        test::arraysNear(*convertedArray<float>(file->find("numbers")->numbers, "numbers"), numbers, 0));
    EXPECT_EQ(convertedArray<std::int64_t>(file->find("counts")->numbers, "counts")->values,
              (std::vector<std::int64_t>{-7, 9}));
    EXPECT_EQ(file->find("texts")->texts, (std::vector<std::string>{"ä", "", "🦊🦊"}));
    EXPECT_EQ(file->find("others"), nullptr);
}

TEST(ArrayFiles, byte_orders_give_the_same_numbers) {
    const test::TemporaryFolder folder;
    for (const auto& [descr, bytes] : {std::pair<const char*, std::string>{"<i2", {1, 2, 3, 4}},
                                       {">i2", {2, 1, 4, 3}}}) {
        const std::string literal =
            std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (2,), }\n";
        test::writeBytes(folder / "a.npy", test::npyBytes(literal, bytes));
        const auto file = readArrayFile(folder / "a.npy");
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ(convertedArray<std::int64_t>(file->arrays.front().numbers, "a")->values,
                  (std::vector<std::int64_t>{0x0201, 0x0403}));
    }
}

TEST(ArrayFiles, claims_beyond_the_bytes_are_refused_before_anything_is_allocated) {
    const test::TemporaryFolder folder;
    for (const char* type : {"'<f4'", "'<U1000000'", "'|S1'"}) {
        for (const char* shape : {"(1000000000000,)", "(4294967296, 4294967296)", "(3,)"}) {
            const std::string literal =
                std::string("{'descr': ") + type + ", 'fortran_order': True, 'shape': " + shape + ", }\n";
            test::writeBytes(folder / "a.npy", test::npyBytes(literal, "12345678"));
            EXPECT_FALSE(readArrayFile(folder / "a.npy")) << type << shape;
        }
    }
}

TEST(ArrayFiles, endless_texts_of_no_width_are_refused) {
    const test::TemporaryFolder folder;
    test::writeBytes(
        folder / "a.npy",
        test::npyBytes("{'descr': '<U0', 'fortran_order': False, 'shape': (1000000000000,), }\n", ""));
    EXPECT_FALSE(readArrayFile(folder / "a.npy"));
}

void writeZip(const std::filesystem::path& path,
              const std::vector<std::pair<std::string, std::string>>& members) {
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    ASSERT_NE(archive, nullptr);
    for (const auto& [name, bytes] : members) {
        zip_source_t* source = zip_source_buffer(archive, bytes.data(), bytes.size(), 0);
        ASSERT_GE(zip_file_add(archive, name.c_str(), source, 0), 0);
    }
    ASSERT_EQ(zip_close(archive), 0);
}

/// One array of another file in each of the formats, as float64.
std::vector<double> valuesIn(const std::filesystem::path& path, const std::optional<std::string>& name = {}) {
    const auto file = readArrayFile(path);
    if (!file) return {};
    const auto array = floatingArray(*file, name);
    return array ? convertedArray<double>((*array)->numbers, "")->values : std::vector<double>{};
}

TEST(ArrayFiles, one_floating_array_needs_no_name_and_several_do) {
    const test::TemporaryFolder folder;
    const Array<float> one{{2}, {1, 2}};
    const Array<double> other{{3}, {3, 4, 5}};
    ASSERT_TRUE(writeNpy(folder / "one.npy", one));
    ASSERT_TRUE(writeNpz(folder / "one.npz", std::vector<NpzEntry>{{"one", one}}));
    ASSERT_TRUE(writeNpz(folder / "two.npz", std::vector<NpzEntry>{{"one", one}, {"other", other}}));
    for (const char* name : {"one.npy", "one.npz"})
        EXPECT_EQ(valuesIn(folder / name), (std::vector<double>{1, 2}));
    EXPECT_EQ(valuesIn(folder / "one.npz", "one"), (std::vector<double>{1, 2}));
    EXPECT_EQ(valuesIn(folder / "two.npz", "other"), (std::vector<double>{3, 4, 5}));
    const auto two = readArrayFile(folder / "two.npz");
    for (const std::optional<std::string>& wrong : {std::optional<std::string>(), {"third"}}) {
        const auto found = floatingArray(*two, wrong);
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().kind, ErrorKind::Usage);
        EXPECT_NE(found.error().message.find("one, other"), std::string::npos) << found.error().message;
    }
    EXPECT_FALSE(floatingArray(*readArrayFile(folder / "one.npy"), "one"));
    ASSERT_TRUE(writeNpz(folder / "none.npz", std::vector<NpzEntry>{}));
    EXPECT_FALSE(floatingArray(*readArrayFile(folder / "none.npz")));
}

TEST(ArrayFiles, other_element_types_are_refused_by_name) {
    const test::TemporaryFolder folder;
    const std::vector<NpzEntry> entries{{"counts", Array<std::int64_t>{{2}, {-7, 9}}},
                                        {"texts", std::vector<std::string>{"a"}}};
    ASSERT_TRUE(writeNpz(folder / "all.npz", entries));
    const auto file = readArrayFile(folder / "all.npz");
    for (const auto& [name, type] : {std::pair<const char*, const char*>{"counts", "int64 arrays"},
                                     {"texts", "arrays of text"}}) {
        const auto found = floatingArray(*file, name);
        ASSERT_FALSE(found);
        EXPECT_NE(found.error().message.find(type), std::string::npos) << found.error().message;
        EXPECT_NE(found.error().message.find(name), std::string::npos) << found.error().message;
    }
}

TEST(ArrayFiles, one_array_is_read_beside_others_that_could_not_be) {
    const test::TemporaryFolder folder;
    const std::string good = test::npyBytes("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }\n",
                                            std::string(4, '\0'));
    const std::string objects =
        test::npyBytes("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", "\x80\x04K\x01.");
    writeZip(folder / "both.npz", {{"good.npy", good}, {"objects.npy", objects}});
    EXPECT_FALSE(readArrayFile(folder / "both.npz"));
    const auto file = readArrayFile(folder / "both.npz", "good");
    ASSERT_TRUE(file) << file.error().message;
    ASSERT_EQ(file->arrays.size(), 2U);
    EXPECT_TRUE(file->find("objects")->skipped);
    const auto found = floatingArray(*file, "good");
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ((*found)->shape, std::vector<std::size_t>{1});
    EXPECT_FALSE(readArrayFile(folder / "both.npz", "objects"));
}

TEST(ArrayFiles, every_order_gives_the_same_array) {
    const test::TemporaryFolder folder;
    const std::vector<float> c = {1, 2, 3, 4, 5, 6};
    const std::vector<float> fortran = {1, 4, 2, 5, 3, 6};
    for (const bool big : {false, true}) {
        for (const bool turned : {false, true}) {
            std::string bytes;
            for (const float value : turned ? fortran : c) {
                std::string element(reinterpret_cast<const char*>(&value), sizeof value);
                if (big) std::ranges::reverse(element);
                bytes += element;
            }
            const std::string literal = std::string("{'descr': '") + (big ? ">" : "<") +
                                        "f4', 'fortran_order': " + (turned ? "True" : "False") +
                                        ", 'shape': (2, 3), }\n";
            test::writeBytes(folder / "a.npy", test::npyBytes(literal, bytes));
            EXPECT_EQ(valuesIn(folder / "a.npy"), (std::vector<double>{1, 2, 3, 4, 5, 6})) << literal;
        }
    }
}

TEST(ArrayFiles, what_memory_cannot_hold_is_refused_with_shape_and_bytes) {
    const test::TemporaryFolder folder;
    const std::string start =
        test::npyBytes("{'descr': '>f4', 'fortran_order': True, 'shape': (1099511627776,), }\n", "");
    test::writeBytes(folder / "a.npy", start);
    std::error_code refused;
    std::filesystem::resize_file(folder / "a.npy", start.size() + (std::size_t{4} << 40), refused);
    if (refused) GTEST_SKIP() << "no sparse file of 4 TiB can be made: " << refused.message();
    const auto file = readArrayFile(folder / "a.npy");
    ASSERT_FALSE(file);
    EXPECT_NE(file.error().message.find("shape [1099511627776] takes 4398046511104 bytes"), std::string::npos)
        << file.error().message;
}

TEST(ArrayFiles, other_names_and_places_are_refused) {
    const test::TemporaryFolder folder;
    EXPECT_FALSE(readArrayFile(folder / "a.txt"));
    EXPECT_FALSE(readArrayFile(folder / "none.npz"));
    EXPECT_FALSE(readArrayFile(folder.path()));
    EXPECT_TRUE(isArrayFileName("A.NPY"));
    EXPECT_FALSE(isArrayFileName("npz"));
}

}  // namespace
}  // namespace fovea::io
