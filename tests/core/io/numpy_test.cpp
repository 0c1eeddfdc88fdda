// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/numpy.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/io/files.h"
#include "core/io/npy_header.h"
#include "tests/support/broken_files.h"
#include "tests/support/near.h"
#include "tests/support/test_data.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;
using Shape = std::vector<std::size_t>;

template <class T>
Array<T> sample(const Shape& shape) {
    Array<T> array{shape, std::vector<T>(elementCount(shape))};
    for (std::size_t index = 0; index < array.values.size(); ++index) {
        array.values[index] = static_cast<T>(1) / static_cast<T>(3) + static_cast<T>(index);
    }
    return array;
}

const std::vector<Shape> shapes = {{},           {1}, {5},       {2, 3},      {3, 1, 2},
                                   {2, 3, 4, 5}, {0}, {3, 0, 2}, Shape(64, 1)};

template <class T>
std::string bytesOf(const std::vector<T>& values, bool bigEndian = false) {
    std::string bytes;
    for (const T& value : values) {
        std::string element(reinterpret_cast<const char*>(&value), sizeof value);
        if (bigEndian) std::ranges::reverse(element);
        bytes += element;
    }
    return bytes;
}

std::string tupleText(const Shape& shape) {
    std::string text = "(";
    for (const std::size_t extent : shape) text += fmt::format("{}, ", extent);
    return text + ")";
}

/// A file as other writers make it.
std::string npyText(std::string_view descr, bool fortran, const Shape& shape, const std::string& data) {
    return test::npyBytes(fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}\n", descr,
                                      fortran ? "True" : "False", shape.empty() ? "()" : tupleText(shape)),
                          data);
}

template <class T>
Result<Array<T>> readBack(const std::string& content) {
    const test::TemporaryFolder folder;
    test::writeBytes(folder / "array.npy", content);
    auto array = readNpy(folder / "array.npy");
    if (!array) return std::unexpected(array.error());
    if (!std::holds_alternative<Array<T>>(*array)) return fail("the other element type");
    return std::get<Array<T>>(*array);
}

/// The elements with the first axis fastest, by the definition of the two orders.
template <class T>
std::vector<T> inFortranOrder(const Array<T>& array) {
    std::vector<T> values(array.values.size());
    for (std::size_t flat = 0; flat < values.size(); ++flat) {
        std::size_t rest = flat, place = 0, stride = values.size();
        for (std::size_t axis = array.shape.size(); axis-- > 0;) {
            stride /= array.shape[axis];
            place += rest % array.shape[axis] * stride;
            rest /= array.shape[axis];
        }
        values[place] = array.values[flat];
    }
    return values;
}

template <class T>
class Npy : public testing::Test {
public:
    static constexpr std::string_view code = sizeof(T) == 4 ? "f4" : "f8";
};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(Npy, FloatTypes);

TYPED_TEST(Npy, written_arrays_are_read_back_equal) {
    const test::TemporaryFolder folder;
    for (const Shape& shape : shapes) {
        const auto array = sample<TypeParam>(shape);
        ASSERT_TRUE(writeNpy(folder / "array.npy", array));
        const auto read = readNpy(folder / "array.npy");
        ASSERT_TRUE(read) << read.error().message;
        ASSERT_TRUE(std::holds_alternative<Array<TypeParam>>(*read));
        EXPECT_TRUE(test::arraysNear(std::get<Array<TypeParam>>(*read), array, 0));
    }
}

TYPED_TEST(Npy, special_values_survive) {
    using Limits = std::numeric_limits<TypeParam>;
    const Array<TypeParam> array{{6},
                                 {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity(),
                                  Limits::denorm_min(), TypeParam{-0.0}, Limits::lowest()}};
    const auto read = readBack<TypeParam>(
        npyText(fmt::format("<{}", TestFixture::code), false, {6}, bytesOf(array.values)));
    ASSERT_TRUE(read);
    EXPECT_TRUE(test::arraysNear(*read, array, 0));
    EXPECT_TRUE(std::signbit(read->values[4]));
}

TYPED_TEST(Npy, byte_orders_give_the_same_array) {
    for (const Shape& shape : shapes) {
        const auto array = sample<TypeParam>(shape);
        for (const char* order : {"<", "=", "|", "", ">"}) {
            const auto read =
                readBack<TypeParam>(npyText(fmt::format("{}{}", order, TestFixture::code), false, shape,
                                            bytesOf(array.values, *order == '>')));
            ASSERT_TRUE(read) << order << ": " << read.error().message;
            EXPECT_TRUE(test::arraysNear(*read, array, 0)) << "order " << order;
        }
    }
}

TYPED_TEST(Npy, fortran_order_gives_the_array_of_c_order) {
    for (const Shape& shape : shapes) {
        const auto array = sample<TypeParam>(shape);
        for (const bool bigEndian : {false, true}) {
            const std::string descr = fmt::format("{}{}", bigEndian ? '>' : '<', TestFixture::code);
            const auto read =
                readBack<TypeParam>(npyText(descr, true, shape, bytesOf(inFortranOrder(array), bigEndian)));
            ASSERT_TRUE(read) << read.error().message;
            EXPECT_TRUE(test::arraysNear(*read, array, 0));
        }
    }
}

TEST(NpyFiles, versions_2_and_3_are_read) {
    const std::string literal = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
    for (const char version : {'\x02', '\x03'}) {
        std::string bytes = "\x93NUMPY";
        bytes += version;
        bytes += '\0';
        bytes += static_cast<char>(literal.size());
        bytes += std::string(3, '\0') + literal + bytesOf<float>({1, 2});
        const auto read = readBack<float>(bytes);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(test::valuesNear(read->values, std::vector<float>{1, 2}, 0));
    }
}

TEST(NpyFiles, literals_of_other_writers_are_read) {
    for (const char* literal : {"{'shape':(2L,),'fortran_order':False,'descr':'<f4'}",
                                "  {\"descr\": \"<f4\", \"fortran_order\": False, \"shape\": ( 2 , ) , }  \n",
                                "{'descr': '<f4', 'fortran_order': True, 'shape': (2)}"}) {
        const auto read = readBack<float>(test::npyBytes(literal, bytesOf<float>({1, 2})));
        ASSERT_TRUE(read) << literal << ": " << read.error().message;
        EXPECT_EQ(read->shape, Shape{2});
    }
}

TEST(NpyFiles, data_starts_at_a_multiple_of_64_bytes) {
    const test::TemporaryFolder folder;
    for (const Shape& shape : shapes) {
        ASSERT_TRUE(writeNpy(folder / "array.npy", sample<float>(shape)));
        EXPECT_EQ((fs::file_size(folder / "array.npy") - 4 * elementCount(shape)) % 64, 0u)
            << shapeText(shape);
    }
}

class BrokenNpy : public testing::TestWithParam<test::BrokenFile> {};

TEST_P(BrokenNpy, are_refused_in_a_sentence_that_names_file_and_defect) {
    const test::TemporaryFolder folder;
    const fs::path path = folder / "broken.npy";
    test::writeBytes(path, GetParam().content);
    const auto array = readNpy(path);
    ASSERT_FALSE(array);
    const std::string& message = array.error().message;
    EXPECT_TRUE(message.starts_with(path.string())) << message;
    EXPECT_NE(message.find(GetParam().sentence), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(by_name, BrokenNpy, testing::ValuesIn(test::brokenNpy()),
                         [](const auto& broken) { return broken.param.defect; });

TEST(NpyFiles, half_precision_is_read_as_float_and_written_as_it_is) {
    const test::TemporaryFolder folder;
    const std::vector<std::uint16_t> halves = {0x3C00, 0xC000, 0x3555, 0xFC00, 0x0001};
    const std::vector<double> values = {1, -2, 0.333251953125, -std::numeric_limits<double>::infinity(),
                                        0x1p-24};
    const auto bytes = std::as_bytes(std::span(halves));
    ASSERT_TRUE(writeNpy(folder / "half.npy", ArrayView{ElementType::F16, {5}, bytes}));
    EXPECT_EQ(*readTextFile(folder / "half.npy"),
              npyHeaderBytes("<f2", Shape{5}) + bytesOf<std::uint16_t>(halves));
    for (const auto& [descr, big] : {std::pair("<f2", false), {">f2", true}}) {
        const auto read = readBack<float>(npyText(descr, false, {5}, bytesOf(halves, big)));
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_TRUE(test::valuesNear(read->values, values, 0)) << descr;
    }
}

TEST(NpyFiles, cut_short_anywhere_are_refused) {
    const test::TemporaryFolder folder;
    ASSERT_TRUE(writeNpy(folder / "whole", sample<double>({2, 3})));
    const std::string bytes = *readTextFile(folder / "whole");
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        test::writeBytes(folder / "part", std::string_view(bytes).substr(0, length));
        EXPECT_FALSE(readNpy(folder / "part")) << length << " of " << bytes.size() << " bytes";
    }
}

TEST(NpyFiles, with_any_byte_of_the_header_changed_are_refused_or_read_within_their_bytes) {
    const test::TemporaryFolder folder;
    const std::string whole = npyText("<f8", true, {2, 3}, bytesOf(sample<double>({2, 3}).values));
    std::size_t refused = 0;
    for (std::size_t place = 0; place + 48 < whole.size(); ++place) {
        for (const char byte : {'\0', '\xff', '9', '\''}) {
            std::string bytes = whole;
            bytes[place] = byte;
            test::writeBytes(folder / "changed", bytes);
            refused += !readNpy(folder / "changed");
        }
    }
    EXPECT_GT(refused, whole.size());
}

TEST(NpyFiles, a_place_that_cannot_be_written_is_a_sentence) {
    const test::TemporaryFolder folder;
    const fs::path target = folder / "absent/out.npy";
    EXPECT_EQ(writeNpy(target, sample<float>({2})).error().message,
              "cannot write " + target.string() + ": No such file or directory");
}

}  // namespace
}  // namespace fovea::io
