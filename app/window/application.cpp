// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/application.h"

#include "widgets/view_models/fault_reason.h"

namespace fovea::app {

Application::Application(int& argc, char** argv) : QApplication(argc, argv) {}

bool Application::notify(QObject* receiver, QEvent* event) {
    try {
        return QApplication::notify(receiver, event);
    } catch (...) {
        tell(widgets::faultReason());
        return false;
    }
}

void Application::tell(const QString& reason) noexcept {
    try {
        QMetaObject::invokeMethod(this, [this, reason] { Q_EMIT faulted(reason); }, Qt::QueuedConnection);
    } catch (...) {
        // Without memory for a message there is none.
    }
}

}  // namespace fovea::app
