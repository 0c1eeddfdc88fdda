// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/support/result.h"

#include <memory>

#include <gtest/gtest.h>

namespace fovea {
namespace {

Result<int> positive(int number) {
    if (number <= 0) return fail("not positive");
    return number;
}

TEST(Result, is_a_value_or_a_reason) {
    EXPECT_EQ(positive(3).value(), 3);
    ASSERT_FALSE(positive(-3));
    EXPECT_EQ(positive(-3).error().message, "not positive");
}

TEST(Result, failures_are_of_the_input_unless_said) {
    EXPECT_EQ(positive(0).error().kind, ErrorKind::Input);
    const Result<void> cancelled = fail("stopped", ErrorKind::Cancelled);
    EXPECT_EQ(cancelled.error().kind, ErrorKind::Cancelled);
}

TEST(Result, carries_values_that_cannot_be_copied) {
    const auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(5); };
    const std::unique_ptr<int> value = std::move(*make());
    EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace fovea
