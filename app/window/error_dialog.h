// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QStringList>

class QLabel;

namespace fovea::app {

/// The one place where failures are shown. It does not block the window; what fails while it is open
/// is added below.
class ErrorDialog final : public QDialog {
    Q_OBJECT

public:
    explicit ErrorDialog(QWidget* parent = nullptr);
    /// `what` says what could not be done, `message` why: file, expected, found.
    void report(const QString& what, const QString& message);
    /// The messages on show, oldest first.
    const QStringList& messages() const { return messages_; }

protected:
    void hideEvent(QHideEvent* event) override;

private:
    QLabel* text_;
    QStringList messages_;
};

}  // namespace fovea::app
