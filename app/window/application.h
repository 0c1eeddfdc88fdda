// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QApplication>

namespace fovea::app {

/// The application of the window: an exception that leaves an event ends that event alone, and not the
/// program. The document is a value that changes as a whole or not at all, so it is as it was before.
class Application final : public QApplication {
    Q_OBJECT

public:
    Application(int& argc, char** argv);

    bool notify(QObject* receiver, QEvent* event) override;

Q_SIGNALS:
    /// An event has ended with an exception; told after it, when widgets can be shown again.
    void faulted(const QString& reason);

private:
    void tell(const QString& reason) noexcept;
};

}  // namespace fovea::app
