// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/commands/stop_on_interrupt.h"

#include <signal.h>

namespace fovea::app {

namespace {

constexpr timespec glance = {0, 50'000'000};  // how often the end of the work is looked for

bool isIgnored(int signal) {
    struct sigaction current = {};
    return sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

StopOnInterrupt::StopOnInterrupt() {
    sigemptyset(&awaited_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (!isIgnored(signal)) sigaddset(&awaited_, signal);
    }
    pthread_sigmask(SIG_BLOCK, &awaited_, &before_);
    waiting_ = std::jthread([this](std::stop_token done) {
        while (!done.stop_requested() && received_ == 0) {
            const int signal = sigtimedwait(&awaited_, nullptr, &glance);
            if (signal <= 0) continue;
            received_ = signal;
            source_.request_stop();
        }
    });
}

StopOnInterrupt::~StopOnInterrupt() {
    waiting_.request_stop();
    waiting_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    if (received_ != 0) raise(received_);
}

}  // namespace fovea::app
