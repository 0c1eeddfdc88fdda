// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

class QLabel;
class QPushButton;

namespace fovea::app {

/// Says that something failed that should not have, that what is open is as it was, and offers to go on or
/// to save the session first. One dialog however often it happens; it never takes the window away.
class FaultDialog final : public QDialog {
    Q_OBJECT

public:
    explicit FaultDialog(QWidget* parent);

    /// `canSave`: there is a session to save.
    void report(const QString& reason, bool canSave);
    QString text() const;
    QPushButton* goOn() const { return goOn_; }
    QPushButton* save() const { return save_; }

Q_SIGNALS:
    void saveRequested();

private:
    QLabel* text_;
    QPushButton* save_;
    QPushButton* goOn_;
};

}  // namespace fovea::app
