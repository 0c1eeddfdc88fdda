// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/shard_team.h"

#include <utility>

namespace fovea::training {

ShardTeam::ShardTeam(std::size_t threads, std::function<void()> prepare)
    : prepare_(std::move(prepare)),
      failures_(threads),
      begin_(static_cast<std::ptrdiff_t>(threads + 1)),
      end_(static_cast<std::ptrdiff_t>(threads + 1)) {
    for (std::size_t thread = 0; thread < threads; ++thread) {
        threads_.emplace_back([this, thread] { serve(thread); });
    }
}

ShardTeam::~ShardTeam() {
    work_ = nullptr;
    begin_.arrive_and_wait();
}

void ShardTeam::run(std::size_t shards, const std::function<void(std::size_t)>& work) {
    shards_ = shards;
    work_ = &work;
    begin_.arrive_and_wait();
    end_.arrive_and_wait();
    for (std::exception_ptr& failure : failures_) {
        if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
    }
}

void ShardTeam::serve(std::size_t thread) {
    bool prepared = false;
    while (true) {
        begin_.arrive_and_wait();
        if (!work_) return;
        try {
            if (!std::exchange(prepared, true)) prepare_();
            for (std::size_t shard = thread; shard < shards_; shard += failures_.size()) (*work_)(shard);
        } catch (...) {
            failures_[thread] = std::current_exception();
        }
        end_.arrive_and_wait();
    }
}

}  // namespace fovea::training
