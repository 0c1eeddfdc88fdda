// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/memory_room.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include <fmt/format.h>

namespace fovea::io {
namespace {

/// The number behind a word of a file of the system's; nothing where there is none ("max" included).
std::optional<std::size_t> numberIn(const std::string& path, std::string_view word) {
    std::ifstream file(path);
    std::string found = std::string(word);
    if (!word.empty()) {
        while (file >> found && found != word) continue;
    }
    std::size_t value = 0;
    return found == word && file >> value ? std::optional(value) : std::nullopt;
}

std::optional<std::size_t> systemRoom() {
    const auto kibibytes = numberIn("/proc/meminfo", "MemAvailable:");
    return kibibytes ? std::optional(*kibibytes * 1024) : std::nullopt;
}

std::optional<std::size_t> processRoom() {
    rlimit limit = {};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
    const auto pages = numberIn("/proc/self/statm", "");
    if (!pages) return std::nullopt;
    const std::size_t taken = *pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

/// Of a container, or of a user's session with a limit.
std::optional<std::size_t> groupRoom() {
    std::ifstream file("/proc/self/cgroup");
    std::string line;
    while (std::getline(file, line) && !line.starts_with("0::")) continue;
    if (!line.starts_with("0::")) return std::nullopt;
    const std::string folder = "/sys/fs/cgroup" + line.substr(3);
    const auto limit = numberIn(folder + "/memory.max", "");
    if (!limit) return std::nullopt;
    // Pages of files are counted too, but given up when memory runs short.
    const std::size_t taken = numberIn(folder + "/memory.stat", "anon").value_or(0);
    return *limit > taken ? *limit - taken : 0;
}

}  // namespace

std::optional<std::size_t> availableMemory() {
    std::optional<std::size_t> least;
    for (const auto& room : {systemRoom(), processRoom(), groupRoom()}) {
        if (room) least = std::min(*room, least.value_or(*room));
    }
    return least;
}

Result<void> checkFitsMemory(std::string_view what, std::size_t bytes) {
    constexpr std::size_t always = std::size_t{1} << 24;
    if (bytes <= always) return {};
    const auto room = availableMemory();
    if (!room || bytes <= *room) return {};
    return fail(fmt::format("{} takes {} bytes of memory, {} are free", what, bytes, *room));
}

}  // namespace fovea::io
