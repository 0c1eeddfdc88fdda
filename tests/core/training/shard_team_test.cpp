// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/shard_team.h"

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace fovea::training {
namespace {

TEST(ShardTeam, works_on_every_shard_once_in_each_batch) {
    for (const std::size_t threads : {1, 2, 5}) {
        ShardTeam team(threads, [] {});
        for (const std::size_t shards : {0, 1, 4, 37}) {
            std::vector<int> visits(shards);
            team.run(shards, [&](std::size_t shard) { ++visits[shard]; });
            EXPECT_EQ(visits, std::vector<int>(shards, 1)) << threads << " threads";
        }
    }
}

TEST(ShardTeam, prepares_each_thread_once_before_its_first_shard) {
    std::atomic<int> prepared = 0;
    ShardTeam team(3, [&] { ++prepared; });
    std::vector<int> seen(30);
    for (int batch = 0; batch < 4; ++batch) team.run(30, [&](std::size_t shard) { seen[shard] = prepared > 0; });
    EXPECT_EQ(prepared, 3);
    EXPECT_EQ(std::accumulate(seen.begin(), seen.end(), 0), 30);
}

TEST(ShardTeam, hands_an_exception_on_and_works_again) {
    ShardTeam team(2, [] {});
    EXPECT_THROW(team.run(4, [](std::size_t shard) { if (shard == 3) throw std::runtime_error("shard"); }),
                 std::runtime_error);
    std::atomic<int> done = 0;
    team.run(4, [&](std::size_t) { ++done; });
    EXPECT_EQ(done, 4);
}

}  // namespace
}  // namespace fovea::training
