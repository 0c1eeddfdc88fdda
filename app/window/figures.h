// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "widgets/view_models/latest_wins.h"

class QWidget;

namespace fovea::app {

class Workbench;

/// Takes figures out of the window: by the dialog into a file, or to the clipboard. Drawing and hashing
/// run beside the window.
class Figures final : public QObject {
    Q_OBJECT

public:
    Figures(Workbench& workbench, QWidget* window);
    /// Shows the dialog; it stays open until the file is written or the user gives up.
    void exportFigure();
    void copyFigure();

Q_SIGNALS:
    void written(const QString& file);
    void copied();
    void failed(const QString& what, const QString& message);

private:
    void write(class FigureDialog& dialog);

    Workbench& workbench_;
    QWidget* window_;
    widgets::LatestWins worker_;
};

}  // namespace fovea::app
