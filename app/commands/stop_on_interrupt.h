// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace fovea::app {

/// While it lives, SIGINT, SIGTERM and SIGHUP ask work to stop instead of ending the process, so that
/// the work can put away what it has begun. To be made before any thread that is to be spared. Signals
/// that are ignored stay ignored.
class StopOnInterrupt {
public:
    StopOnInterrupt();
    /// Signals act as before. One that came meanwhile acts now: it ends the process as it would have.
    ~StopOnInterrupt();
    StopOnInterrupt(const StopOnInterrupt&) = delete;
    StopOnInterrupt& operator=(const StopOnInterrupt&) = delete;

    std::stop_token token() const { return source_.get_token(); }

private:
    sigset_t awaited_ = {};
    sigset_t before_ = {};
    std::stop_source source_;
    std::atomic<int> received_ = 0;
    std::jthread waiting_;
};

}  // namespace fovea::app
