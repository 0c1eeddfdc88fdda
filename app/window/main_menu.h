// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QAction;
class QMainWindow;
class QMenu;
class QUndoStack;

namespace fovea::app {

class Actions;

/// The menu bar, built from the registry of actions.
class MainMenu final : public QObject {
    Q_OBJECT

public:
    MainMenu(QMainWindow& window, const Actions& actions, QUndoStack& undo);
    /// Adds the switch of a dock to the View menu.
    void addDockSwitch(QAction* toggle);

Q_SIGNALS:
    void recentPicked(const QString& folder);
    void recentCleared();

private:
    void fillFile(const Actions& actions);
    void fillEdit(const Actions& actions, QUndoStack& undo);
    void fillView(const Actions& actions);
    void fillModel(const Actions& actions);
    void fillPanels(const Actions& actions);
    void fillHelp(const Actions& actions);
    void fillRecent();

    QMainWindow& window_;
    QMenu* recent_ = nullptr;
    QMenu* view_ = nullptr;
    QAction* dockPlace_ = nullptr;
};

}  // namespace fovea::app
