// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

#include "core/support/result.h"
#include "core/support/run_control.h"

namespace fovea::app {

/// Ours over the peer's time: median and quartiles over pairs; seconds are medians.
struct PairedTiming {
    double ratio = 0;
    double low = 0;
    double high = 0;
    double ourSeconds = 0;
    double peerSeconds = 0;
};

/// Times the two in turn, `pairs` times after some that do not count, so that both meet the same
/// state of the machine. Each returns the seconds of one run, or why there is none.
Result<PairedTiming> timeInPairs(const std::function<Result<double>()>& ours,
                                 const std::function<Result<double>()>& peer, std::size_t pairs,
                                 const RunControl& control);

/// Seconds that `work` takes.
double secondsOf(const std::function<void()>& work);

}  // namespace fovea::app
