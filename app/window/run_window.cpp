// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/run_window.h"

#include <QApplication>
#include <QTimer>

#include "app/window/appearance.h"
#include "app/window/main_window.h"
#include "app/window/settings.h"

namespace fovea::app {

int runWindow(int argc, char** argv, const std::vector<std::filesystem::path>& paths) {
    QApplication::setStyle(QStringLiteral("Fusion"));
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("Fovea"));
    QApplication::setOrganizationName(QStringLiteral("Fovea"));
    QApplication::setApplicationVersion(QStringLiteral(FOVEA_VERSION));
    QApplication::setApplicationDisplayName(QStringLiteral("Fovea"));
    applyAppearance(Settings().appearance());
    MainWindow window;
    window.show();
    // The first picture of the window does not wait for LibTorch.
    if (!paths.empty()) QTimer::singleShot(0, &window, [&window, path = paths.front()] { window.open(path); });
    return QApplication::exec();
}

}  // namespace fovea::app
