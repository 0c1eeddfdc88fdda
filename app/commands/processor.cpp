// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/processor.h"

#include <hwy/targets.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace fovea::app {

namespace {

/// What the system says of the first processor; empty where it says nothing.
std::string processorLine(std::string_view key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
    }
    return {};
}

}  // namespace

std::string processorName() {
    const std::string name = processorLine("model name");
    return name.empty() ? "unknown" : name;
}

std::string vectorUnit() {
    const auto supported = static_cast<std::int64_t>(hwy::SupportedTargets());
    // The better a target, the lower its bit.
    return hwy::TargetName(supported & -supported);
}

std::vector<std::string> processorFlags() {
    constexpr std::array<std::string_view, 9> wanted{"sse4_2",   "avx2",     "fma",         "avx512f",
                                                     "avx512bw", "avx512dq", "avx512_vnni", "avx512_bf16",
                                                     "asimd"};
    std::istringstream flags(processorLine("flags") + " " + processorLine("Features"));
    std::vector<std::string> found;
    for (std::string flag; flags >> flag;) {
        if (std::ranges::find(wanted, flag) != wanted.end()) found.push_back(flag);
    }
    return found;
}

}  // namespace fovea::app
