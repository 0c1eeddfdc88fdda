// SPDX-License-Identifier: GPL-3.0-or-later
// Exceptions in the window: an event that throws ends alone, and the window offers to go on.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QPushButton>
#include <QTemporaryDir>
#include <QTimer>
#include <fstream>

#include "app/window/application.h"
#include "app/window/fault_dialog.h"
#include "tests/app/window/window_fixture.h"

namespace fovea::app {

namespace {

/// No more memory than this process has now and `more`, until the end of the scope.
class MemoryLimit {
public:
    explicit MemoryLimit(std::size_t more) {
        getrlimit(RLIMIT_AS, &before_);
        std::size_t pages = 0;
        std::ifstream("/proc/self/statm") >> pages;
        const rlimit limit{pages * 4096 + more, before_.rlim_max};
        setrlimit(RLIMIT_AS, &limit);
    }
    ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
    rlimit before_{};
};

struct FaultsTest : WindowFixture {
    FaultsTest() {
        QObject::connect(static_cast<Application*>(qApp), &Application::faulted, window.get(),
                         &MainWindow::reportFault);
    }
    /// In an event of its own, as a click would.
    void later(std::function<void()> what) {
        bool done = false;
        QTimer::singleShot(0, window.get(), [&done, what] {
            done = true;
            what();
        });
        ASSERT_TRUE(test::waitFor([&] { return done; }));
    }
    bool told() {
        return test::waitFor([this] { return window->faults()->isVisible(); });
    }
};

TEST_F(FaultsTest, an_exception_in_an_event_ends_the_event_alone) {
    openSynthetic();
    const session::DocumentState before = window->workbench().state();
    later([] { throw std::runtime_error("a broken promise"); });
    ASSERT_TRUE(told());
    EXPECT_TRUE(window->faults()->text().contains(QStringLiteral("a broken promise")));
    EXPECT_TRUE(window->faults()->text().contains(QStringLiteral("as it was before")));
    EXPECT_FALSE(window->faults()->isModal());
    EXPECT_EQ(window->workbench().state(), before);
    window->faults()->goOn()->click();
    EXPECT_FALSE(window->faults()->isVisible());
    window->workbench().pickQuery(0, QueryIndex(2));
    EXPECT_TRUE(settle());
    EXPECT_EQ(panelState(0).selection.query, QueryIndex(2));
}

TEST_F(FaultsTest, memory_that_the_system_refuses_is_told_and_the_window_goes_on) {
    openSynthetic();
    const session::DocumentState before = window->workbench().state();
    later([] {
        const MemoryLimit limit(std::size_t{64} << 20);
        std::vector<char> large(std::size_t{1} << 30);
        large.back() = 1;
    });
    ASSERT_TRUE(told());
    EXPECT_TRUE(window->faults()->text().contains(QStringLiteral("not enough memory")));
    EXPECT_EQ(window->workbench().state(), before);
    EXPECT_TRUE(settle());
}

TEST_F(FaultsTest, the_session_can_be_saved_first_where_something_is_open) {
    later([] { throw 7; });
    ASSERT_TRUE(told());
    EXPECT_FALSE(window->faults()->save()->isVisible());
    window->faults()->goOn()->click();
    openSynthetic();
    later([] { throw 7; });
    ASSERT_TRUE(told());
    EXPECT_TRUE(window->faults()->save()->isVisible());
}

}  // namespace

}  // namespace fovea::app

int main(int argc, char** argv) {
    ::testing::InitGoogleTest(&argc, argv);
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    const QTemporaryDir runtime;
    if (!qEnvironmentVariableIsSet("XDG_RUNTIME_DIR")) qputenv("XDG_RUNTIME_DIR", runtime.path().toUtf8());
    fovea::app::Application application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("fovea-test"));
    return RUN_ALL_TESTS();
}
