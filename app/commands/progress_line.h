// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <mutex>
#include <string_view>

namespace fovea::app {

/// One line of progress on stderr, rewritten in place; silent when stderr is not a terminal.
class ProgressLine {
public:
    ProgressLine();
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// For RunControl; empty when silent.
    std::function<void(std::string_view, double)> reporter();
    /// Removes the line, so that what follows starts clean.
    void clear();

private:
    void show(std::string_view stage, double fraction);

    bool terminal_ = false;
    bool shown_ = false;
    std::mutex mutex_;
};

}  // namespace fovea::app
