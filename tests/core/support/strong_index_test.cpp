// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/strong_index.h"

#include <type_traits>

#include <gtest/gtest.h>

namespace fovea {
namespace {

TEST(StrongIndex, of_one_kind_cannot_pass_for_another) {
    EXPECT_FALSE((std::is_convertible_v<LayerIndex, HeadIndex>));
    EXPECT_FALSE((std::is_constructible_v<HeadIndex, LayerIndex>));
    EXPECT_FALSE((std::is_convertible_v<std::size_t, HeadIndex>));
}

TEST(StrongIndex, orders_and_compares_as_its_number) {
    EXPECT_EQ(HeadIndex(3), HeadIndex(3));
    EXPECT_LT(HeadIndex(2), HeadIndex(3));
    EXPECT_EQ(HeadIndex().value, 0u);
}

}  // namespace
}  // namespace fovea
