// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/safetensors.h"

#include <cstring>
#include <fstream>
#include <numeric>

#include <gtest/gtest.h>

#include "core/io/files.h"
#include "core/support/precondition.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

std::vector<float> counting(std::size_t count) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), -1.5f);
    return values;
}

TEST(Safetensors, written_tensors_are_read_back_equal) {
    const test::TemporaryFolder folder;
    for (const Shape& shape : {Shape{}, Shape{1}, Shape{7}, Shape{2, 3}, Shape{2, 3, 4, 5}, Shape{0},
                               Shape{3, 0, 2}, Shape(64, 1)}) {
        const Array<float> floats{shape, counting(elementCount(shape))};
        const Array<std::int64_t> numbers{shape,
                                          std::vector<std::int64_t>(elementCount(shape), -3'000'000'000)};
        SafetensorsWriter writer;
        writer.add("floats", shape, floats.values);
        writer.add("numbers", shape, numbers.values);
        writer.metadata() = {{"tokens", "[\"a\", \"\u00e9\\n\"]"}, {"", ""}};
        ASSERT_TRUE(writer.write(folder / "file.safetensors"));

        const auto file = SafetensorsFile::open(folder / "file.safetensors");
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ((*file)->names(), (std::vector<std::string>{"floats", "numbers"}));
        EXPECT_EQ((*file)->metadata(), writer.metadata());
        EXPECT_TRUE(test::arraysNear(*convertedArray<float>(*(*file)->find("floats"), ""), floats, 0));
        const auto readNumbers = convertedArray<std::int64_t>(*(*file)->find("numbers"), "");
        EXPECT_EQ(readNumbers->shape, shape);
        EXPECT_EQ(readNumbers->values, numbers.values);
    }
}

TEST(Safetensors, without_tensors_are_a_file_too) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(SafetensorsWriter().write(folder / "none.safetensors"));
    const auto file = SafetensorsFile::open(folder / "none.safetensors");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE((*file)->names().empty());
    EXPECT_EQ((*file)->find("anything"), nullptr);
}

TEST(Safetensors, written_data_is_aligned_to_its_elements) {
    const test::TemporaryFolder folder;
    SafetensorsWriter writer;
    writer.add("odd", {3}, counting(3));
    writer.add("wide", {2}, std::vector<std::int64_t>{1, 2});
    ASSERT_TRUE(writer.write(folder / "file.safetensors"));
    const auto file = SafetensorsFile::open(folder / "file.safetensors");
    for (const std::string& name : (*file)->names()) {
        const ArrayView& array = *(*file)->find(name);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(array.bytes.data()) % elementSize(array.type), 0u) << name;
    }
}

TEST(Safetensors, same_content_gives_same_bytes) {
    const test::TemporaryFolder folder;
    for (const char* name : {"first", "second"}) {
        SafetensorsWriter writer;
        writer.add("a", {5}, counting(5));
        writer.metadata() = {{"x", "1"}, {"b", "2"}};
        ASSERT_TRUE(writer.write(folder / name));
    }
    EXPECT_EQ(readTextFile(folder / "first").value(), readTextFile(folder / "second").value());
}

TEST(Safetensors, names_come_in_the_order_of_the_header) {
    const test::TemporaryFolder folder;
    test::writeBytes(
        folder / "file",
        test::safetensorsBytes(
            R"({"z": {"dtype":"U8","shape":[1],"data_offsets":[1,2]}, "__metadata__": {"k":"v"},)"
            R"( "a": {"data_offsets":[0,1],"shape":[1],"dtype":"U8"}}   )",
            "ab"));
    const auto file = SafetensorsFile::open(folder / "file");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->names(), (std::vector<std::string>{"z", "a"}));
    EXPECT_EQ((*file)->find("z")->bytes[0], std::byte{'b'});
    EXPECT_EQ((*file)->find("a")->bytes[0], std::byte{'a'});
    EXPECT_EQ((*file)->metadata(), (Metadata{{"k", "v"}}));
}

TEST(Safetensors, views_outlive_the_name_of_the_file) {
    const test::TemporaryFolder folder;
    SafetensorsWriter writer;
    writer.add("a", {5}, counting(5));
    ASSERT_TRUE(writer.write(folder / "file"));
    const auto file = SafetensorsFile::open(folder / "file");
    fs::remove(folder / "file");
    EXPECT_TRUE(test::valuesNear(convertedArray<float>(*(*file)->find("a"), "a")->values, counting(5), 0));
}

TEST(Safetensors, every_reference_file_opens) {
    std::size_t opened = 0;
    for (const auto& entry : fs::recursive_directory_iterator(test::dataFolder())) {
        if (entry.path().extension() != ".safetensors") continue;
        const auto file = SafetensorsFile::open(entry.path());
        EXPECT_TRUE(file) << file.error().message;
        EXPECT_FALSE(file && (*file)->names().empty()) << entry.path();
        ++opened;
    }
    std::cout << opened << " safetensors files under " << test::dataFolder() << "\n";
    if (opened == 0) GTEST_SKIP() << "no safetensors files under " << test::dataFolder();
}

class BrokenSafetensors : public testing::TestWithParam<test::BrokenFile> {};

TEST_P(BrokenSafetensors, are_refused_in_a_sentence_that_names_file_and_defect) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "broken.safetensors";
    test::writeBytes(path, GetParam().content);
    const auto file = SafetensorsFile::open(path);
    ASSERT_FALSE(file);
    const std::string& message = file.error().message;
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_NE(message.find(GetParam().sentence), std::string::npos) << message;
    EXPECT_LT(message.size(), path.string().size() + 400) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(by_name, BrokenSafetensors, testing::ValuesIn(test::brokenSafetensors()),
                         [](const auto& broken) { return broken.param.defect; });

TEST(Safetensors, cut_short_anywhere_are_refused) {
    const test::TemporaryFolder folder;
    SafetensorsWriter writer;
    writer.add("a", {2, 3}, counting(6));
    ASSERT_TRUE(writer.write(folder / "whole"));
    const std::string bytes = *readTextFile(folder / "whole");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        test::writeBytes(folder / "part", std::string_view(bytes).substr(0, length));
        EXPECT_FALSE(SafetensorsFile::open(folder / "part")) << length << " of " << bytes.size() << " bytes";
    }
}

TEST(Safetensors, with_any_byte_changed_are_refused_or_read_within_their_bytes) {
    const test::TemporaryFolder folder;
    SafetensorsWriter writer;
    writer.add("a", {2, 3}, counting(6));
    ASSERT_TRUE(writer.write(folder / "whole"));
    const std::string whole = *readTextFile(folder / "whole");
    std::size_t refused = 0;
    for (std::size_t place = 0; place < whole.size(); ++place) {
        for (const char byte : {'\0', '\xff', '9', '"'}) {
            std::string bytes = whole;
            bytes[place] = byte;
            test::writeBytes(folder / "changed", bytes);
            const auto file = SafetensorsFile::open(folder / "changed");
            refused += !file;
            for (const std::string& name : file ? (*file)->names() : std::vector<std::string>()) {
                EXPECT_TRUE(convertedArray<double>(*(*file)->find(name), name));
            }
        }
    }
    EXPECT_GT(refused, whole.size());
}

TEST(Safetensors, a_header_above_100_megabytes_is_refused) {
    const test::TemporaryFolder folder;
    const std::uint64_t length = 100'000'001;
    test::writeBytes(folder / "large", std::string(reinterpret_cast<const char*>(&length), 8));
    fs::resize_file(folder / "large", 8 + length);
    const auto file = SafetensorsFile::open(folder / "large");
    ASSERT_FALSE(file);
    EXPECT_NE(file.error().message.find("claims 100000001 bytes, expected at most 100000000"),
              std::string::npos)
        << file.error().message;
}

TEST(Safetensors, an_absent_file_and_a_folder_are_sentences) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(SafetensorsFile::open(folder / "absent").error().message,
              "cannot read " + (folder / "absent").string() + ": No such file or directory");
    EXPECT_EQ(SafetensorsFile::open(folder.path()).error().message,
              "cannot read " + folder.path().string() + ": a folder, expected a file");
}

TEST(Safetensors, a_hundred_thousand_tensors_open) {
    const test::TemporaryFolder folder;
    std::string header = "{";
    for (int index = 0; index < 100'000; ++index) {
        header += (index ? ",\"t" : "\"t") + std::to_string(index) +
                  R"(":{"dtype":"F32","shape":[0],"data_offsets":[0,0]})";
    }
    test::writeBytes(folder / "many", test::safetensorsBytes(header + "}", ""));
    const auto file = SafetensorsFile::open(folder / "many");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->names().size(), 100'000u);
}

TEST(SafetensorsWriter, promises_are_checked) {
    SafetensorsWriter writer;
    writer.add("a", {2}, counting(2));
    EXPECT_THROW(writer.add("a", {2}, counting(2)), PreconditionError);
    EXPECT_THROW(writer.add("b", {3}, counting(2)), PreconditionError);
    EXPECT_THROW(writer.add("__metadata__", {2}, counting(2)), PreconditionError);
}

TEST(SafetensorsWriter, a_place_that_cannot_be_written_is_a_sentence) {
    const test::TemporaryFolder folder;
    const fs::path target = folder / "absent/out.safetensors";
    const auto written = SafetensorsWriter().write(target);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().message, "cannot write " + target.string() + ": No such file or directory");
    EXPECT_EQ(written.error().kind, ErrorKind::Output);
}

TEST(SafetensorsWriter, invalid_utf8_leaves_no_file) {
    const test::TemporaryFolder folder;
    SafetensorsWriter writer;
    writer.metadata()["tokens"] = "\xff";
    const auto written = writer.write(folder / "out");
    ASSERT_FALSE(written);
    EXPECT_NE(written.error().message.find("not valid UTF-8"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace fovea::io
