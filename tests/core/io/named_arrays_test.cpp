// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/named_arrays.h"

#include <limits>

#include <gtest/gtest.h>

namespace fovea::io {
namespace {

using Shape = std::vector<std::size_t>;

TEST(ElementTypes, names_lead_back_to_their_types) {
    for (const ElementType type :
         {ElementType::Bool, ElementType::U8, ElementType::I8, ElementType::I16, ElementType::U16,
          ElementType::I32, ElementType::U32, ElementType::I64, ElementType::U64, ElementType::F16,
          ElementType::BF16, ElementType::F32, ElementType::F64}) {
        EXPECT_EQ(elementTypeNamed(elementTypeName(type)), type);
    }
    EXPECT_EQ(elementTypeNamed("F8_E4M3"), std::nullopt);
    EXPECT_EQ(elementTypeNamed("f32"), std::nullopt);
}

TEST(ElementTypes, sizes_are_those_of_the_names) {
    EXPECT_EQ(elementSize(ElementType::Bool), 1u);
    EXPECT_EQ(elementSize(ElementType::BF16), 2u);
    EXPECT_EQ(elementSize(ElementType::F32), 4u);
    EXPECT_EQ(elementSize(ElementType::F64), 8u);
}

TEST(Shapes, without_axes_hold_one_element) {
    EXPECT_EQ(elementCount(Shape{}), 1u);
    EXPECT_EQ(checkedByteCount(Shape{}, 4), 4u);
}

TEST(Shapes, with_a_zero_hold_nothing) {
    EXPECT_EQ(elementCount(Shape{3, 0, 5}), 0u);
    EXPECT_EQ(checkedByteCount(Shape{3, 0, 5}, 8), 0u);
}

TEST(Shapes, up_to_the_largest_signed_size_are_counted) {
    constexpr auto most = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());
    EXPECT_EQ(checkedByteCount(Shape{most}, 1), most);
    EXPECT_EQ(checkedByteCount(Shape{most + 1}, 1), std::nullopt);
    EXPECT_EQ(checkedByteCount(Shape{most / 4 + 1}, 4), std::nullopt);
    EXPECT_EQ(checkedByteCount(Shape{std::size_t{1} << 32, std::size_t{1} << 32}, 1), std::nullopt);
    EXPECT_EQ(checkedByteCount(Shape{0, most, most}, 1), std::nullopt);
}

TEST(Shapes, print_in_square_brackets) {
    EXPECT_EQ(shapeText(Shape{12, 17, 17}), "[12, 17, 17]");
    EXPECT_EQ(shapeText(Shape{}), "[]");
}

}  // namespace
}  // namespace fovea::io
