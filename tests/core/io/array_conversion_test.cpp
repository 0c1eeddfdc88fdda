// SPDX-License-Identifier: GPL-3.0-or-later
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/io/array_conversion.h"
#include "core/support/precondition.h"
#include "tests/support/near.h"

namespace fovea::io {
namespace {

template <class T>
ArrayView viewOf(ElementType type, const std::vector<T>& values) {
    return {type, {values.size()}, std::as_bytes(std::span(values))};
}

/// From the definition of binary16 [IEEE 754-2008, 3.4], in double precision.
double halfByDefinition(unsigned bits) {
    const double sign = bits >> 15 ? -1 : 1;
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const double fraction = (bits & 1023) / 1024.0;
    if (exponent == 31) return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::nan("");
    return exponent == 0 ? sign * fraction * std::pow(2, -14)
                         : sign * (1 + fraction) * std::pow(2, exponent - 15);
}

TEST(Conversion, of_every_half_follows_its_definition) {
    std::vector<std::uint16_t> bits(65536);
    std::vector<double> expected(65536);
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        bits[pattern] = static_cast<std::uint16_t>(pattern);
        expected[pattern] = halfByDefinition(pattern);
    }
    const auto view = viewOf(ElementType::F16, bits);
    EXPECT_TRUE(test::valuesNear(convertedArray<float>(view, "h")->values, expected, 0));
    EXPECT_TRUE(test::valuesNear(convertedArray<double>(view, "h")->values, expected, 0));
}

TEST(Conversion, of_brain_floats_keeps_the_upper_half_of_a_float) {
    const std::vector<std::uint16_t> bits = {0x3F80, 0xC020, 0x0000, 0x8000, 0x7F80, 0x0001};
    const std::vector<double> expected = {
        1, -2.5, 0, -0.0, std::numeric_limits<double>::infinity(), std::pow(2, -133)};
    const auto converted = convertedArray<double>(viewOf(ElementType::BF16, bits), "b");
    EXPECT_TRUE(test::valuesNear(converted->values, expected, 0));
    EXPECT_TRUE(std::signbit(converted->values[3]));
}

TEST(Conversion, keeps_whole_numbers_of_every_width) {
    EXPECT_EQ(convertedArray<std::int64_t>(viewOf<std::int8_t>(ElementType::I8, {-128, 127}), "a")->values,
              (std::vector<std::int64_t>{-128, 127}));
    EXPECT_EQ(convertedArray<std::int64_t>(viewOf<std::uint8_t>(ElementType::U8, {0, 255}), "a")->values,
              (std::vector<std::int64_t>{0, 255}));
    EXPECT_EQ(
        convertedArray<std::int64_t>(viewOf<std::int16_t>(ElementType::I16, {-32768, 32767}), "a")->values,
        (std::vector<std::int64_t>{-32768, 32767}));
    EXPECT_EQ(
        convertedArray<std::int64_t>(viewOf<std::uint32_t>(ElementType::U32, {4294967295u}), "a")->values,
        (std::vector<std::int64_t>{4294967295}));
    EXPECT_EQ(convertedArray<std::int64_t>(viewOf<std::uint8_t>(ElementType::Bool, {0, 1}), "a")->values,
              (std::vector<std::int64_t>{0, 1}));
    EXPECT_EQ(convertedArray<float>(viewOf<std::int32_t>(ElementType::I32, {-7}), "a")->values,
              std::vector<float>{-7});
}

TEST(Conversion, keeps_the_shape) {
    const std::vector<float> values(6, 1.5f);
    const auto converted =
        convertedArray<double>({ElementType::F32, {2, 3}, std::as_bytes(std::span(values))}, "a");
    EXPECT_EQ(converted->shape, (std::vector<std::size_t>{2, 3}));
    EXPECT_TRUE(test::valuesNear(converted->values, values, 0));
}

TEST(Conversion, reads_bytes_at_any_address) {
    std::vector<std::byte> bytes(1 + 3 * sizeof(double));
    const std::vector<double> values = {1, 2, 3};
    std::ranges::copy(std::as_bytes(std::span(values)), bytes.begin() + 1);
    const ArrayView view{ElementType::F64, {3}, std::span<const std::byte>(bytes).subspan(1)};
    EXPECT_TRUE(test::valuesNear(convertedArray<float>(view, "a")->values, values, 0));
}

TEST(Conversion, refuses_floating_point_numbers_for_whole_ones) {
    const std::vector<float> values = {1};
    const auto converted = convertedArray<std::int64_t>(viewOf(ElementType::F32, values), "input_ids");
    ASSERT_FALSE(converted);
    EXPECT_EQ(converted.error().message, "tensor input_ids is F32, expected whole numbers (I64, I32, ...)");
}

TEST(Conversion, of_parts_gives_the_elements_from_a_place_on) {
    const std::vector<std::uint16_t> halves = {0x3C00, 0x4000, 0x4200};
    const std::vector<float> floats = {1, 2, 3};
    std::vector<double> found(2);
    readElements(viewOf(ElementType::F16, halves), 1, found);
    EXPECT_EQ(found, (std::vector<double>{2, 3}));
    readElements(viewOf(ElementType::F32, floats), 0, found);
    EXPECT_EQ(found, (std::vector<double>{1, 2}));
    EXPECT_THROW(readElements(viewOf(ElementType::F32, floats), 2, found), PreconditionError);
    const std::vector<std::int32_t> whole = {1, 2};
    EXPECT_THROW(readElements(viewOf(ElementType::I32, whole), 0, found), PreconditionError);
}

std::uint16_t storedHalf(double value) {
    std::uint16_t bits = 0;
    storeElements(std::span(&value, 1), ElementType::F16, std::as_writable_bytes(std::span(&bits, 1)));
    if (!std::isnan(value)) {
        EXPECT_EQ(value, halfByDefinition(bits));
    }
    return bits;
}

TEST(Conversion, to_halves_keeps_every_half_and_rounds_to_the_nearest_even) {
    for (unsigned pattern = 0; pattern < 65536; ++pattern) {
        const double value = halfByDefinition(pattern);
        if (std::isnan(value)) {
            EXPECT_TRUE(std::isnan(halfByDefinition(storedHalf(value))));
            continue;
        }
        EXPECT_EQ(storedHalf(value), pattern);
        if ((pattern & 0x7FFF) >= 0x7BFF) continue;
        // Between this one and the next away from 0.
        const double next = halfByDefinition(pattern + 1);
        const double middle = (value + next) / 2;
        EXPECT_EQ(storedHalf(middle), pattern % 2 == 0 ? pattern : pattern + 1) << middle;
        EXPECT_EQ(storedHalf(std::nextafter(middle, value)), pattern) << middle;
        EXPECT_EQ(storedHalf(std::nextafter(middle, next)), pattern + 1) << middle;
    }
}

TEST(Conversion, to_halves_is_infinite_beyond_the_largest) {
    EXPECT_EQ(storedHalf(std::nextafter(65520.0, 0.0)), 0x7BFF);
    EXPECT_EQ(storedHalf(65520), 0x7C00);
    EXPECT_EQ(storedHalf(-1e300), 0xFC00);
    EXPECT_EQ(storedHalf(1e-300), 0);
}

TEST(Conversion, stores_floats_and_doubles_and_leaves_what_was_stored) {
    std::vector<double> values = {1.0 / 3, -0.0};
    std::vector<float> floats(2);
    storeElements(values, ElementType::F32, std::as_writable_bytes(std::span(floats)));
    EXPECT_EQ(floats[0], 1.0F / 3);
    EXPECT_EQ(values[0], double{1.0F / 3});
    std::vector<double> doubles(2);
    values[0] = 0.1;
    storeElements(values, ElementType::F64, std::as_writable_bytes(std::span(doubles)));
    EXPECT_EQ(doubles[0], 0.1);
    EXPECT_TRUE(std::signbit(doubles[1]));
    EXPECT_THROW(storeElements(values, ElementType::F64, {}), PreconditionError);
}

TEST(Conversion, refuses_whole_numbers_beyond_63_bits) {
    const std::vector<std::uint64_t> values = {std::uint64_t{1} << 63};
    const auto converted = convertedArray<std::int64_t>(viewOf(ElementType::U64, values), "ids");
    ASSERT_FALSE(converted);
    EXPECT_NE(converted.error().message.find("tensor ids holds a number above 2^63 - 1"), std::string::npos);
    EXPECT_EQ(convertedArray<double>(viewOf(ElementType::U64, values), "ids")->values,
              std::vector<double>{0x1p63});
}

}  // namespace
}  // namespace fovea::io
