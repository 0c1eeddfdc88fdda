// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_window.h"

#include <QApplication>
#include <QEvent>
#include <QTimer>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "app/window/appearance.h"
#include "app/window/application.h"
#include "app/window/main_window.h"
#include "app/window/settings.h"

namespace fovea::app {

namespace {

/// Calls once, after a widget was painted for the first time.
class AfterFirstPaint final : public QObject {
public:
    AfterFirstPaint(QWidget& widget, std::function<void()> what) : QObject(&widget), what_(std::move(what)) {
        widget.installEventFilter(this);
        // A window that starts minimised is not painted.
        QTimer::singleShot(2000, this, [this] { call(); });
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint) QTimer::singleShot(0, this, [this] { call(); });
        return QObject::eventFilter(watched, event);
    }

private:
    void call() {
        if (const auto what = std::exchange(what_, nullptr)) what();
    }
    std::function<void()> what_;
};

// Qt aborts the process where no window can be opened; a user is owed a sentence and an exit code.
void refuseWithoutDisplay(QtMsgType type, const QMessageLogContext&, const QString&) {
    if (type != QtFatalMsg) return;
    std::fputs("fovea: no window can be opened: there is no display that Qt can use\n"
               "`fovea export` draws figures without one\n", stderr);
    std::_Exit(EXIT_FAILURE);
}

}  // namespace

int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& paths) {
    QApplication::setStyle(QStringLiteral("Fusion"));
    const QtMessageHandler usual = qInstallMessageHandler(refuseWithoutDisplay);
    Application application(argc, argv);
    qInstallMessageHandler(usual);
    QApplication::setApplicationName(QStringLiteral("Fovea"));
    QApplication::setOrganizationName(QStringLiteral("Fovea"));
    QApplication::setApplicationVersion(QStringLiteral(FOVEA_VERSION));
    QApplication::setApplicationDisplayName(QStringLiteral("Fovea"));
    applyAppearance(Settings().appearance());
    MainWindow window;
    QObject::connect(&application, &Application::faulted, &window, &MainWindow::reportFault);
    if (!paths.empty()) {
        window.announce(paths.front());
        // Loading LibTorch holds the loader's lock, on which the first painting would wait.
        new AfterFirstPaint(window, [&window, paths] { window.openAll(paths); });
    }
    window.show();
    return QApplication::exec();
}

}  // namespace fovea::app
