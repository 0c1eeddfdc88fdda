// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/paired_timing.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace fovea::app {

namespace {

constexpr std::size_t warmUps = 3;

/// Linear between the two entries beside it, as usual.
double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    const double place = share * static_cast<double>(values.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    return std::lerp(values[below], values[above], place - static_cast<double>(below));
}

}  // namespace

Result<PairedTiming> timeInPairs(const std::function<Result<double>()>& ours,
                                 const std::function<Result<double>()>& peer, std::size_t pairs,
                                 const RunControl& control) {
    std::vector<double> ourSeconds;
    std::vector<double> peerSeconds;
    std::vector<double> ratios;
    for (std::size_t i = 0; i < warmUps + pairs; ++i) {
        if (control.stop.stop_requested()) return fail("stopped", ErrorKind::Cancelled);
        const auto one = ours();
        if (!one) return std::unexpected(one.error());
        const auto other = peer();
        if (!other) return std::unexpected(other.error());
        if (i < warmUps) continue;
        ourSeconds.push_back(*one);
        peerSeconds.push_back(*other);
        ratios.push_back(*one / *other);
    }
    return PairedTiming{quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75),
                        quantile(ourSeconds, 0.5), quantile(peerSeconds, 0.5)};
}

double secondsOf(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace fovea::app
