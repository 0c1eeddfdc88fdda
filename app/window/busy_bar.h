// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace fovea::app {

/// Stage, progress and a way to stop, in the status bar; seen only when work takes a moment.
class BusyBar final : public QWidget {
    Q_OBJECT

public:
    explicit BusyBar(QWidget* parent = nullptr);
    void setBusy(bool busy);
    void setProgress(const QString& stage, double fraction);

Q_SIGNALS:
    void cancelRequested();

private:
    QLabel* stage_;
    QProgressBar* progress_;
    QToolButton* cancel_;
    QTimer delay_;
};

}  // namespace fovea::app
