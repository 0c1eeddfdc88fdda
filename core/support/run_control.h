// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

namespace fovea {

/// How a caller follows and stops long work. Both members may be left empty.
struct RunControl {
    /// Work looks at it between steps and ends with ErrorKind::Cancelled.
    std::stop_token stop;
    /// Called from the working thread with the stage's name and the fraction done, in [0, 1].
    std::function<void(std::string_view stage, double fraction)> progress;

    void report(std::string_view stage, double fraction) const {
        if (progress) progress(stage, fraction);
    }
};

}  // namespace fovea
