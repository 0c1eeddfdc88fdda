// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/temporary_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <system_error>

#include <fmt/format.h>

#include "core/io/files.h"

namespace fovea::io {
namespace {

// A signal handler may neither lock nor allocate, so paths lie in fixed slots. More writes at once
// than slots, or longer paths, still work; only their temporaries outlive an interrupt.
constexpr int slotCount = 16;
constexpr std::size_t pathLimit = 4096;

struct Slot {
    enum State { Free, Filling, Used };
    std::atomic<int> state = Free;
    std::array<char, pathLimit> path{};
};
static_assert(std::atomic<int>::is_always_lock_free);

std::array<Slot, slotCount> slots;

int occupySlot(const std::string& path) {
    if (path.size() >= pathLimit) return -1;
    for (int index = 0; index < slotCount; ++index) {
        Slot& slot = slots[static_cast<std::size_t>(index)];
        int expected = Slot::Free;
        if (!slot.state.compare_exchange_strong(expected, Slot::Filling)) continue;
        std::memcpy(slot.path.data(), path.c_str(), path.size() + 1);
        slot.state = Slot::Used;
        return index;
    }
    return -1;
}

void handleInterrupt(int signal) {
    removeTemporaries();
    // The default action was restored on entry (SA_RESETHAND).
    raise(signal);
}

std::string systemReason(int error) { return std::generic_category().message(error); }

}  // namespace

void removeTemporaries() noexcept {
    for (const Slot& slot : slots) {
        if (slot.state == Slot::Used) unlink(slot.path.data());
    }
}

void removeTemporariesOnInterrupt() {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction current = {};
        if (sigaction(signal, nullptr, &current) != 0 || current.sa_handler != SIG_DFL) continue;
        struct sigaction ours = {};
        ours.sa_handler = handleInterrupt;
        ours.sa_flags = static_cast<int>(SA_RESETHAND);
        sigaction(signal, &ours, nullptr);
    }
}

Result<TemporaryFile> TemporaryFile::create(const std::filesystem::path& folder,
                                            const std::string& extension) {
    std::random_device random;
    // Names have a longest length; no program goes by an extension of this one.
    const std::string ending = extension.size() <= 16 ? extension : std::string();
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string name = fmt::format(".fovea-{:08x}{}", random(), ending);
        TemporaryFile file(folder / name);
        // 0666 less the user's mask, as any newly written file.
        const int descriptor = open(file.path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0) {
            close(descriptor);
            return file;
        }
        const int error = errno;
        file.forget();
        if (error != EEXIST) return fail(systemReason(error), ErrorKind::Output);
    }
    return fail("no free temporary name", ErrorKind::Output);
}

// The slot comes before the file, so that no interrupt finds a file without one.
TemporaryFile::TemporaryFile(std::filesystem::path path)
    : path_(std::move(path)), slot_(occupySlot(path_.string())) {}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : path_(std::move(other.path_)), slot_(other.slot_) {
    other.path_.clear();
    other.slot_ = -1;
}

TemporaryFile::~TemporaryFile() {
    if (!path_.empty()) unlink(path_.c_str());
    forget();
}

void TemporaryFile::forget() {
    if (slot_ >= 0) slots[static_cast<std::size_t>(slot_)].state = Slot::Free;
    slot_ = -1;
    path_.clear();
}

Result<void> TemporaryFile::renameTo(const std::filesystem::path& target) {
    if (rename(path_.c_str(), target.c_str()) != 0) return fail(systemReason(errno), ErrorKind::Output);
    forget();
    return {};
}

}  // namespace fovea::io
