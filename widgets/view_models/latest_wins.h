// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace fovea::widgets {

/// One background worker on which the newest request wins: a request replaces the one that waits and
/// stops the one that runs, and answers of stopped requests are dropped. Answers arrive on the thread
/// of this object, in order, never from inside `submit`.
///
/// With a patience above 0 an overtaken request may still finish within that time since its start and
/// deliver: a slider that moves faster than the work then shows intermediate answers instead of none.
/// Destruction requests a stop and waits for the worker, so work must look at its token often.
class LatestWins final : public QObject {
    Q_OBJECT

public:
    using Answer = std::function<void()>;
    /// Hands an answer over; may be called several times by one request (progress, partial results).
    using Deliver = std::function<void(Answer)>;
    /// Runs on the worker. Ends soon after a stop is requested.
    using Work = std::function<void(std::stop_token, const Deliver&)>;

    explicit LatestWins(std::chrono::milliseconds patience = std::chrono::milliseconds{0},
                        QObject* parent = nullptr);
    ~LatestWins() override;

    /// Makes `work` the newest request; its generation, which counts from 1.
    std::uint64_t submit(Work work);
    /// Stops everything; nothing that was asked for before is delivered any more.
    void cancel();
    /// True from `submit` until the newest request has ended or was cancelled.
    bool busy() const { return busy_; }
    std::uint64_t newest() const { return newest_; }

Q_SIGNALS:
    void busyChanged(bool busy);
    /// A request ended with an exception: a fault in the program or no memory.
    void broken(const QString& reason);

private:
    using Clock = std::chrono::steady_clock;
    struct Request {
        std::uint64_t generation = 0;
        Work work;
        std::stop_source stop;
    };

    void serve(const std::stop_token& quit);
    void perform(Request& request);
    void deliver(std::uint64_t generation, const Answer& answer);
    void finish(std::uint64_t generation, const QString& fault);
    void overtake();
    void setBusy(bool busy);

    const std::chrono::milliseconds patience_;
    std::uint64_t newest_ = 0;
    std::uint64_t oldestWelcome_ = 1;  // answers of older generations are dropped
    bool busy_ = false;

    std::mutex mutex_;  // guards what follows
    std::condition_variable_any wake_;
    std::optional<Request> waiting_;
    std::stop_source running_{std::nostopstate};
    std::uint64_t runningGeneration_ = 0;  // 0: idle
    Clock::time_point started_;

    std::jthread worker_;  // last: it uses everything above
};

}  // namespace fovea::widgets
