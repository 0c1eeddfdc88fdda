// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <barrier>
#include <cstddef>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace fovea::training {

/// Threads that work on the shards of one batch after another. They live as long as the team, since
/// libraries keep buffers and settings by thread.
class ShardTeam {
public:
    /// `prepare` is called once in every thread.
    ShardTeam(std::size_t threads, std::function<void()> prepare);
    ~ShardTeam();
    ShardTeam(const ShardTeam&) = delete;
    ShardTeam& operator=(const ShardTeam&) = delete;

    /// Calls `work(shard)` for every shard below `shards`, in turn on the threads, and waits for all.
    /// Rethrows an exception of one of them.
    void run(std::size_t shards, const std::function<void(std::size_t shard)>& work);

private:
    void serve(std::size_t thread);

    std::size_t shards_ = 0;
    std::function<void()> prepare_;
    const std::function<void(std::size_t)>* work_ = nullptr;  // null: the team goes home
    std::vector<std::exception_ptr> failures_;                // by thread
    std::barrier<> begin_;
    std::barrier<> end_;
    std::vector<std::jthread> threads_;
};

}  // namespace fovea::training
