// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/latest_wins.h"

#include <QMetaObject>
#include <QTimer>

#include "widgets/view_models/fault_reason.h"

namespace fovea::widgets {

LatestWins::LatestWins(std::chrono::milliseconds patience, QObject* parent)
    : QObject(parent), patience_(patience), worker_([this](const std::stop_token& quit) { serve(quit); }) {}

LatestWins::~LatestWins() {
    worker_.request_stop();
    const std::scoped_lock lock(mutex_);
    waiting_.reset();
    running_.request_stop();
}

std::uint64_t LatestWins::submit(Work work) {
    ++newest_;
    overtake();
    {
        const std::scoped_lock lock(mutex_);
        waiting_ = Request{newest_, std::move(work), {}};
    }
    wake_.notify_one();
    setBusy(true);
    return newest_;
}

void LatestWins::cancel() {
    oldestWelcome_ = newest_ + 1;
    {
        const std::scoped_lock lock(mutex_);
        waiting_.reset();
        running_.request_stop();
    }
    setBusy(false);
}

// Stops the running request now, or when its patience is over.
void LatestWins::overtake() {
    const std::scoped_lock lock(mutex_);
    if (runningGeneration_ == 0) {
        // An answer may be under way to this thread: with no patience it is stale now.
        if (patience_.count() == 0) oldestWelcome_ = newest_;
        return;
    }
    const auto ran = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - started_);
    if (ran >= patience_) {
        oldestWelcome_ = newest_;
        running_.request_stop();
        return;
    }
    QTimer::singleShot(patience_ - ran, this, [this, overtaken = runningGeneration_] {
        const std::scoped_lock again(mutex_);
        if (runningGeneration_ != overtaken || overtaken == newest_) return;
        oldestWelcome_ = std::max(oldestWelcome_, overtaken + 1);
        running_.request_stop();
    });
}

void LatestWins::serve(const std::stop_token& quit) {
    while (true) {
        Request request;
        {
            std::unique_lock lock(mutex_);
            if (!wake_.wait(lock, quit, [this] { return waiting_.has_value(); })) return;
            request = std::move(*waiting_);
            waiting_.reset();
            running_ = request.stop;
            runningGeneration_ = request.generation;
            started_ = Clock::now();
        }
        perform(request);
        if (quit.stop_requested()) return;
    }
}

void LatestWins::perform(Request& request) {
    QString fault;
    const std::uint64_t generation = request.generation;
    try {
        request.work(request.stop.get_token(), [this, generation](Answer answer) {
            QMetaObject::invokeMethod(
                this, [this, generation, answer = std::move(answer)] { deliver(generation, answer); },
                Qt::QueuedConnection);
        });
    } catch (...) {
        fault = faultReason();
    }
    request.work = nullptr;
    {
        const std::scoped_lock lock(mutex_);
        runningGeneration_ = 0;
    }
    QMetaObject::invokeMethod(
        this, [this, generation, fault] { finish(generation, fault); }, Qt::QueuedConnection);
}

void LatestWins::deliver(std::uint64_t generation, const Answer& answer) {
    if (generation >= oldestWelcome_) answer();
}

void LatestWins::finish(std::uint64_t generation, const QString& fault) {
    if (generation == newest_) setBusy(false);
    if (!fault.isEmpty() && generation >= oldestWelcome_) Q_EMIT broken(fault);
}

void LatestWins::setBusy(bool busy) {
    if (busy_ == busy) return;
    busy_ = busy;
    Q_EMIT busyChanged(busy);
}

}  // namespace fovea::widgets
