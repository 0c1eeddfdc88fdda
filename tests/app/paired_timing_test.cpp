// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/paired_timing.h"

#include <vector>

#include <gtest/gtest.h>

namespace fovea::app {
namespace {

TEST(PairedTiming, gives_the_median_and_quartiles_of_the_ratios_of_pairs) {
    // Ratios 1 to 5 in another order; the peer slows down meanwhile, which pairs do not mind. Runs before the
    // counted ones are the slowest.
    const std::vector<double> ratios = {3, 1, 5, 2, 4};
    std::size_t run = 0;
    std::size_t peerRun = 0;
    constexpr std::size_t warmUps = 3;
    const auto peerSeconds = [&](std::size_t at) { return 0.5 + 0.25 * static_cast<double>(at); };
    const auto ours = [&]() -> Result<double> {
        const std::size_t at = run++;
        return at < warmUps ? 1000 : ratios[at - warmUps] * peerSeconds(at - warmUps);
    };
    const auto peer = [&]() -> Result<double> {
        const std::size_t at = peerRun++;
        return at < warmUps ? 1000 : peerSeconds(at - warmUps);
    };
    const auto timing = timeInPairs(ours, peer, ratios.size(), {});
    ASSERT_TRUE(timing);
    EXPECT_DOUBLE_EQ(timing->ratio, 3);
    EXPECT_DOUBLE_EQ(timing->low, 2);
    EXPECT_DOUBLE_EQ(timing->high, 4);
    EXPECT_DOUBLE_EQ(timing->peerSeconds, 1);
    EXPECT_DOUBLE_EQ(timing->ourSeconds, 2.5);
    EXPECT_EQ(run, peerRun);
}

TEST(PairedTiming, a_run_that_fails_ends_it_with_its_reason) {
    const auto fine = []() -> Result<double> { return 1; };
    const auto broken = []() -> Result<double> { return fail("no such thing"); };
    for (const auto& timing : {timeInPairs(fine, broken, 3, {}), timeInPairs(broken, fine, 3, {})}) {
        ASSERT_FALSE(timing);
        EXPECT_EQ(timing.error().message, "no such thing");
    }
}

TEST(PairedTiming, a_stop_ends_it_between_two_pairs) {
    std::stop_source source;
    std::size_t runs = 0;
    const auto work = [&]() -> Result<double> {
        if (++runs == 4) source.request_stop();
        return 1;
    };
    const auto timing = timeInPairs(work, work, 1000, RunControl{source.get_token(), {}});
    ASSERT_FALSE(timing);
    EXPECT_EQ(timing.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(runs, 4U);
}

}  // namespace
}  // namespace fovea::app
