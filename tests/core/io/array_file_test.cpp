// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/array_file.h"

#include <gtest/gtest.h>

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
