// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/half.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T>
class SixteenBits : public testing::Test {};
using Formats = testing::Types<Half, BrainFloat>;
TYPED_TEST_SUITE(SixteenBits, Formats);

template <class T>
double value(unsigned bits) { return static_cast<double>(T::fromBits(static_cast<std::uint16_t>(bits))); }

TYPED_TEST(SixteenBits, every_pattern_comes_back) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        const double held = value<TypeParam>(bits);
        const TypeParam again(held);
        if (std::isnan(held)) {
            EXPECT_TRUE(std::isnan(static_cast<double>(again)));
        } else {
            ASSERT_EQ(again.bits, bits);
        }
    }
}

TYPED_TEST(SixteenBits, values_grow_with_their_patterns) {
    for (unsigned bits = 1; std::isfinite(value<TypeParam>(bits)); ++bits) {
        ASSERT_LT(value<TypeParam>(bits - 1), value<TypeParam>(bits));
        ASSERT_EQ(value<TypeParam>(bits | 0x8000), -value<TypeParam>(bits));
    }
}

TYPED_TEST(SixteenBits, rounds_to_the_nearest_and_from_the_middle_to_the_even_pattern) {
    for (unsigned bits = 1; std::isfinite(value<TypeParam>(bits)); ++bits) {
        const double below = value<TypeParam>(bits - 1);
        const double middle = below + (value<TypeParam>(bits) - below) / 2;
        ASSERT_EQ(TypeParam(std::nextafter(middle, 0)).bits, bits - 1);
        ASSERT_EQ(TypeParam(std::nextafter(middle, infinity)).bits, bits);
        ASSERT_EQ(TypeParam(middle).bits, bits % 2 ? bits - 1 : bits);
        ASSERT_EQ(TypeParam(-middle).bits, 0x8000 | (bits % 2 ? bits - 1 : bits));
    }
}

TEST(Half, holds_the_numbers_of_binary16) {
    EXPECT_EQ(Half(1.0).bits, 0x3C00);
    EXPECT_EQ(Half(-2.0).bits, 0xC000);
    EXPECT_EQ(Half(65504.0).bits, 0x7BFF);
    EXPECT_EQ(value<Half>(1), 0x1p-24);
    EXPECT_EQ(value<Half>(0x3555), 0.333251953125);
}

TEST(BrainFloat, holds_the_upper_half_of_binary32) {
    EXPECT_EQ(BrainFloat(1.0).bits, 0x3F80);
    EXPECT_EQ(BrainFloat(-1.0 / 3).bits, 0xBEAB);
    EXPECT_EQ(value<BrainFloat>(1), 0x1p-133);
    EXPECT_EQ(BrainFloat(0x1.FEp127).bits, 0x7F7F);
}

TEST(Half, becomes_infinite_from_the_middle_beyond_its_largest_number) {
    EXPECT_EQ(Half(std::nextafter(65520.0, 0)).bits, 0x7BFF);
    for (const double large : {65520.0, 1e6, 1e308, infinity}) {
        EXPECT_EQ(Half(large).bits, 0x7C00);
        EXPECT_EQ(Half(-large).bits, 0xFC00);
    }
}

TEST(BrainFloat, becomes_infinite_from_the_middle_beyond_its_largest_number) {
    EXPECT_EQ(BrainFloat(std::nextafter(0x1.FFp127, 0)).bits, 0x7F7F);
    for (const double large : {0x1.FFp127, 1e39, 1e308, infinity}) {
        EXPECT_EQ(BrainFloat(large).bits, 0x7F80);
        EXPECT_EQ(BrainFloat(-large).bits, 0xFF80);
    }
}

TYPED_TEST(SixteenBits, tiny_numbers_become_zero_with_their_sign) {
    EXPECT_EQ(TypeParam(5e-324).bits, 0);
    EXPECT_EQ(TypeParam(-5e-324).bits, 0x8000);
    EXPECT_EQ(TypeParam(-0.0).bits, 0x8000);
}

}  // namespace
}  // namespace fovea
