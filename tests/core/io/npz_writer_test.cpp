// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>

#include <gtest/gtest.h>
#include <zip.h>

#include "core/io/files.h"
#include "core/io/numpy.h"
#include "core/support/precondition.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

/// Names and contents of the members of a zip file, in its order.
std::vector<std::pair<std::string, std::string>> membersOf(const std::filesystem::path& path) {
    int error = 0;
    zip_t* archive = zip_open(path.c_str(), ZIP_RDONLY | ZIP_CHECKCONS, &error);
    if (!archive) return {};
    std::vector<std::pair<std::string, std::string>> members;
    for (zip_int64_t index = 0; index < zip_get_num_entries(archive, 0); ++index) {
        zip_stat_t status;
        zip_stat_index(archive, static_cast<zip_uint64_t>(index), 0, &status);
        std::string content(status.size, '\0');
        zip_file_t* file = zip_fopen_index(archive, static_cast<zip_uint64_t>(index), 0);
        zip_fread(file, content.data(), content.size());
        zip_fclose(file);
        members.emplace_back(status.name, content);
    }
    zip_discard(archive);
    return members;
}

std::vector<NpzEntry> sampleEntries() {
    return {{"floats", Array<float>{{2, 2}, {1, 2, 3, 4}}},
            {"doubles", Array<double>{{}, {0.1}}},
            {"empty", Array<double>{{0, 3}, {}}},
            {"ids", Array<std::int64_t>{{3}, {-1, 0, 1}}},
            {"tokens", std::vector<std::string>{"[CLS]", "", "h\u00e9", "\U0001F642"}}};
}

TEST(Npz, members_are_npy_files_of_their_names) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeNpz(folder / "file.npz", sampleEntries()));
    const auto members = membersOf(folder / "file.npz");
    ASSERT_EQ(members.size(), 5u);
    EXPECT_EQ(members[0].first, "floats.npy");
    EXPECT_EQ(members[4].first, "tokens.npy");
    for (std::size_t index = 0; index < 3; ++index) {
        test::writeBytes(folder / "member.npy", members[index].second);
        const auto array = readNpy(folder / "member.npy");
        ASSERT_TRUE(array) << array.error().message;
        const NpzEntry expected = sampleEntries()[index];
        EXPECT_TRUE(index == 0 ? test::arraysNear(std::get<0>(*array), std::get<0>(expected.array), 0)
                               : test::arraysNear(std::get<1>(*array), std::get<1>(expected.array), 0));
    }
}

TEST(Npz, texts_are_code_points_of_one_width) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeNpz(folder / "file.npz", sampleEntries()));
    const std::string tokens = membersOf(folder / "file.npz").back().second;
    EXPECT_NE(tokens.find("'descr': '<U5', 'fortran_order': False, 'shape': (4,)"), std::string::npos);
    const std::u32string expected = std::u32string(U"[CLS]") + std::u32string(5, U'\0') + U"h\u00e9" +
                                    std::u32string(3, U'\0') + U"\U0001F642" + std::u32string(4, U'\0');
    ASSERT_GE(tokens.size(), expected.size() * 4);
    EXPECT_EQ(std::memcmp(tokens.data() + tokens.size() - expected.size() * 4, expected.data(),
                          expected.size() * 4),
              0);
}

TEST(Npz, same_arrays_give_same_bytes) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeNpz(folder / "first.npz", sampleEntries()));
    setenv("TZ", "Asia/Seoul", 1);
    tzset();
    ASSERT_TRUE(writeNpz(folder / "second.npz", sampleEntries()));
    unsetenv("TZ");
    tzset();
    EXPECT_EQ(readTextFile(folder / "first.npz").value(), readTextFile(folder / "second.npz").value());
}

TEST(Npz, without_arrays_is_an_empty_zip_file) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeNpz(folder / "file.npz", {}));
    EXPECT_EQ(std::filesystem::file_size(folder / "file.npz"), 22u);
    EXPECT_TRUE(membersOf(folder / "file.npz").empty());
}

TEST(Npz, text_that_is_not_utf8_is_refused) {
    const test::TemporaryFolder folder;
    for (const char* text :
         {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xc3", "\x80"}) {
        const std::vector<NpzEntry> entries = {{"tokens", std::vector<std::string>{text}}};
        const auto written = writeNpz(folder / "file.npz", entries);
        ASSERT_FALSE(written);
        EXPECT_NE(written.error().message.find("file.npz: tokens: a text is not valid UTF-8"),
                  std::string::npos);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Npz, promises_are_checked) {
    const test::TemporaryFolder folder;
    const NpzEntry one{"a", Array<float>{{1}, {1}}};
    EXPECT_THROW((void)writeNpz(folder / "f", std::vector{one, one}), PreconditionError);
    const std::vector<NpzEntry> wrong = {{"a", Array<float>{{2}, {1}}}};
    EXPECT_THROW((void)writeNpz(folder / "f", wrong), PreconditionError);
}

}  // namespace
}  // namespace fovea::io
