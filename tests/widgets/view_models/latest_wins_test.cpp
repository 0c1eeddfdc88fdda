// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/latest_wins.h"

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QThread>
#include <atomic>
#include <functional>
#include <limits>
#include <new>
#include <stdexcept>
#include <vector>

#include "tests/widgets/synthetic_model.h"

namespace fovea::widgets {

namespace {

using namespace std::chrono_literals;
using test::waitFor;

// Works until it is stopped or `release` is set.
LatestWins::Work waiting(std::atomic<bool>& started, std::atomic<bool>& release,
                         std::function<void()> answer) {
    return [&started, &release, answer](std::stop_token stop, const LatestWins::Deliver& deliver) {
        started = true;
        while (!stop.stop_requested() && !release) std::this_thread::sleep_for(1ms);
        deliver(answer);
    };
}

TEST(LatestWins, answers_on_the_thread_of_its_owner) {
    LatestWins worker;
    QThread* answered = nullptr;
    QThread* worked = nullptr;
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        worked = QThread::currentThread();
        deliver([&] { answered = QThread::currentThread(); });
    });
    EXPECT_TRUE(worker.busy());
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answered, QThread::currentThread());
    EXPECT_NE(worked, QThread::currentThread());
}

TEST(LatestWins, a_newer_request_stops_the_running_one_and_drops_its_answer) {
    LatestWins worker;
    std::atomic<bool> started{false};
    std::atomic<bool> never{false};
    std::vector<int> answers;
    worker.submit(waiting(started, never, [&] { answers.push_back(1); }));
    ASSERT_TRUE(waitFor([&] { return started.load(); }));
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        deliver([&] { answers.push_back(2); });
    });
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, std::vector<int>{2});
}

TEST(LatestWins, a_waiting_request_is_replaced_without_being_run) {
    LatestWins worker;
    std::atomic<int> runs{0};
    std::vector<int> answers;
    for (int request = 1; request <= 200; ++request) {
        const auto generation =
            worker.submit([&, request](std::stop_token, const LatestWins::Deliver& deliver) {
                ++runs;
                std::this_thread::sleep_for(1ms);
                deliver([&, request] { answers.push_back(request); });
            });
        EXPECT_EQ(generation, static_cast<std::uint64_t>(request));
    }
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, std::vector<int>{200});
    EXPECT_LT(runs, 200);
}

TEST(LatestWins, an_answer_on_its_way_is_dropped_when_a_newer_request_comes) {
    LatestWins worker;
    std::atomic<bool> ended{false};
    std::vector<int> answers;
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        deliver([&] { answers.push_back(1); });
        ended = true;
    });
    while (!ended) std::this_thread::sleep_for(1ms);  // without letting events happen
    std::this_thread::sleep_for(5ms);
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        deliver([&] { answers.push_back(2); });
    });
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, std::vector<int>{2});
}

TEST(LatestWins, with_patience_an_overtaken_request_may_finish_and_answers_stay_in_order) {
    LatestWins worker(10s);
    std::atomic<bool> started{false};
    std::atomic<bool> release{false};
    std::vector<int> answers;
    worker.submit(waiting(started, release, [&] { answers.push_back(1); }));
    ASSERT_TRUE(waitFor([&] { return started.load(); }));
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        deliver([&] { answers.push_back(2); });
    });
    release = true;
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, (std::vector<int>{1, 2}));
}

TEST(LatestWins, patience_ends) {
    LatestWins worker(20ms);
    std::atomic<bool> started{false};
    std::atomic<bool> never{false};
    std::vector<int> answers;
    worker.submit(waiting(started, never, [&] { answers.push_back(1); }));
    ASSERT_TRUE(waitFor([&] { return started.load(); }));
    worker.submit([&](std::stop_token, const LatestWins::Deliver& deliver) {
        deliver([&] { answers.push_back(2); });
    });
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, std::vector<int>{2});
}

TEST(LatestWins, after_cancel_nothing_is_delivered) {
    LatestWins worker;
    std::atomic<bool> started{false};
    std::atomic<bool> never{false};
    int answers = 0;
    worker.submit(waiting(started, never, [&] { ++answers; }));
    ASSERT_TRUE(waitFor([&] { return started.load(); }));
    worker.cancel();
    EXPECT_FALSE(worker.busy());
    worker.submit([](std::stop_token, const LatestWins::Deliver&) {});
    ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
    EXPECT_EQ(answers, 0);
}

TEST(LatestWins, destruction_stops_the_work) {
    std::atomic<bool> started{false};
    std::atomic<bool> never{false};
    int answers = 0;
    {
        LatestWins worker;
        worker.submit(waiting(started, never, [&] { ++answers; }));
        ASSERT_TRUE(waitFor([&] { return started.load(); }));
    }
    QCoreApplication::processEvents();
    EXPECT_EQ(answers, 0);
}

TEST(LatestWins, an_exception_is_told_and_the_worker_lives_on) {
    LatestWins worker;
    QString reason;
    QObject::connect(&worker, &LatestWins::broken, &worker, [&](const QString& text) { reason = text; });
    const std::pair<std::function<void()>, QString> faults[] = {
        {[] { throw std::runtime_error("a broken promise"); },
         QStringLiteral("A fault in Fovea: a broken promise")},
        {[] { throw std::bad_alloc(); }, QStringLiteral("There is not enough memory for this.")},
        {[] { std::vector<char>().reserve(std::numeric_limits<std::size_t>::max()); },
         QStringLiteral("There is not enough memory for this.")},
        {[] { throw 7; }, QStringLiteral("A fault in Fovea, of an unknown kind.")}};
    for (const auto& [fault, words] : faults) {
        worker.submit([fault](std::stop_token, const LatestWins::Deliver&) { fault(); });
        ASSERT_TRUE(waitFor([&] { return !worker.busy(); }));
        EXPECT_EQ(reason, words) << reason.toStdString();
    }
    bool answered = false;
    worker.submit(
        [&](std::stop_token, const LatestWins::Deliver& deliver) { deliver([&] { answered = true; }); });
    EXPECT_TRUE(waitFor([&] { return answered; }));
}

}  // namespace

}  // namespace fovea::widgets
