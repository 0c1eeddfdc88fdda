// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/progress_line.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace fovea::app {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

std::function<void(std::string_view, double)> ProgressLine::reporter() {
    if (!terminal_) return {};
    return [this](std::string_view stage, double fraction) { show(stage, fraction); };
}

void ProgressLine::show(std::string_view stage, double fraction) {
    const std::lock_guard lock(mutex_);
    const std::string line = fmt::format("\r\033[K{} {:.0f} %", stage, 100 * fraction);
    static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
    shown_ = true;
}

void ProgressLine::clear() {
    const std::lock_guard lock(mutex_);
    if (shown_) std::fputs("\r\033[K", stderr);
    shown_ = false;
}

}  // namespace fovea::app
