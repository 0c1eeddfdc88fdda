// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/memory_room.h"

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace fovea::io {
namespace {

TEST(MemoryRoom, little_fits_and_more_than_any_machine_has_does_not) {
    EXPECT_TRUE(checkFitsMemory("a.npy: shape [2]", 8));
    const auto refused = checkFitsMemory("a.npy: shape [2]", std::size_t{1} << 60);
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().message.starts_with("a.npy: shape [2] takes 1152921504606846976 bytes"))
        << refused.error().message;
}

TEST(MemoryRoom, a_limit_of_the_process_counts) {
    const auto before = availableMemory();
    ASSERT_TRUE(before);
    rlimit old = {};
    ASSERT_EQ(getrlimit(RLIMIT_AS, &old), 0);
    // Less than is taken already: nothing is left.
    const rlimit small = {1 << 20, old.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &small), 0);
    const auto within = availableMemory();
    setrlimit(RLIMIT_AS, &old);
    EXPECT_EQ(within, std::size_t{0});
    EXPECT_GT(*before, 0U);
}

}  // namespace
}  // namespace fovea::io
