// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_menu.h"

#include <QDir>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>

#include "app/window/actions.h"
#include "app/window/settings.h"

namespace fovea::app {

MainMenu::MainMenu(QMainWindow& window, const Actions& actions, QUndoStack& undo)
    : QObject(&window), window_(window) {
    fillFile(actions);
    fillEdit(actions, undo);
    fillView(actions);
    fillModel(actions);
    fillPanels(actions);
    fillHelp(actions);
}

void MainMenu::fillFile(const Actions& actions) {
    QMenu* menu = window_.menuBar()->addMenu(tr("&File"));
    menu->addAction(actions.openFolder);
    menu->addAction(actions.openFile);
    menu->addAction(actions.openPicture);
    menu->addAction(actions.openSample);
    recent_ = menu->addMenu(tr("&Recent"));
    connect(recent_, &QMenu::aboutToShow, this, &MainMenu::fillRecent);
    menu->addSeparator();
    menu->addAction(actions.saveSession);
    menu->addAction(actions.saveSessionAs);
    menu->addSeparator();
    menu->addAction(actions.exportFigure);
    menu->addAction(actions.copyFigure);
    menu->addSeparator();
    menu->addAction(actions.quit);
}

void MainMenu::fillRecent() {
    recent_->clear();
    for (const QString& folder : Settings().recent()) {
        QString text = QDir::toNativeSeparators(folder);
        recent_->addAction(text.replace(QLatin1Char('&'), QLatin1String("&&")), this,
                           [this, folder] { Q_EMIT recentPicked(folder); });
    }
    if (recent_->isEmpty()) {
        recent_->addAction(tr("Nothing yet"))->setEnabled(false);
        return;
    }
    recent_->addSeparator();
    recent_->addAction(tr("&Clear"), this, &MainMenu::recentCleared);
}

void MainMenu::fillEdit(const Actions& actions, QUndoStack& undo) {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Edit"));
    QAction* undoAction = undo.createUndoAction(&window_, tr("Undo"));
    undoAction->setShortcut(QKeySequence::Undo);
    QAction* redoAction = undo.createRedoAction(&window_, tr("Redo"));
    redoAction->setShortcuts(QKeySequence::Redo);
    menu->addAction(undoAction);
    menu->addAction(redoAction);
    menu->addSeparator();
    menu->addAction(actions.runText);
    menu->addAction(actions.cancel);
    menu->addSeparator();
    menu->addAction(actions.copyValues);
}

void MainMenu::fillView(const Actions& actions) {
    view_ = window_.menuBar()->addMenu(tr("&View"));
    view_->addActions({actions.viewText, actions.viewImage, actions.viewMatrix, actions.viewDensity});
    view_->addSeparator();
    view_->addAction(actions.rawPieces);
    view_->addAction(actions.groupWords);
    view_->setToolTipsVisible(true);
    QMenu* picture = view_->addMenu(tr("&Picture"));
    picture->addActions({actions.heatSmooth, actions.heatPatches, actions.heatNone});
    picture->addSeparator();
    picture->addActions({actions.patchGrid, actions.asSeen, actions.fitPicture});
    QMenu* scale = view_->addMenu(tr("&Colour scale"));
    scale->addActions({actions.scaleLinear, actions.scaleSquareRoot, actions.scaleLog, actions.scaleRank});
    QMenu* appearance = view_->addMenu(tr("&Appearance"));
    appearance->addActions({actions.appearanceSystem, actions.appearanceLight, actions.appearanceDark});
    dockPlace_ = view_->addSeparator();
    view_->addAction(actions.resetLayout);
}

void MainMenu::addDockSwitch(QAction* toggle) { view_->insertAction(dockPlace_, toggle); }

void MainMenu::fillModel(const Actions& actions) {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Model"));
    menu->addAction(actions.compareModel);
    menu->addAction(actions.compareText);
    menu->addAction(actions.shareInput);
    menu->addAction(actions.swapSides);
    menu->addAction(actions.stopComparing);
    menu->addSeparator();
    menu->addAction(actions.aboutModel);
}

void MainMenu::fillPanels(const Actions& actions) {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Panels"));
    menu->addAction(actions.activateFirst);
    menu->addAction(actions.activateSecond);
    menu->addSeparator();
    menu->addAction(actions.linkPanels);
    menu->addAction(actions.swapPanels);
    menu->addSeparator();
    menu->addAction(actions.previousWritten);
    menu->addAction(actions.nextWritten);
}

void MainMenu::fillHelp(const Actions& actions) {
    QMenu* menu = window_.menuBar()->addMenu(tr("&Help"));
    menu->addAction(actions.shortcuts);
    menu->addAction(actions.supportedModels);
    menu->addAction(actions.about);
}

}  // namespace fovea::app
