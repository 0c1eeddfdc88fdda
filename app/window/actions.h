// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QActionGroup>
#include <QKeySequence>
#include <QObject>
#include <vector>


namespace fovea::app {

/// The registry of everything that can be asked of the window by menu or key. Actions know their text
/// and shortcut; what they do is connected by whoever can do it.
class Actions final : public QObject {
    Q_OBJECT

public:
    explicit Actions(QObject* parent = nullptr);

    QAction* openFolder;
    QAction* openFile;
    QAction* openPicture;
    QAction* openSample;
    QAction* saveSession;
    QAction* saveSessionAs;
    QAction* exportFigure;
    QAction* copyFigure;
    QAction* quit;
    QAction* copyValues;
    QAction* viewText;
    QAction* viewImage;
    QAction* viewMatrix;
    QAction* viewDensity;
    QAction* rawPieces;
    QAction* groupWords;
    QAction* heatSmooth;
    QAction* heatPatches;
    QAction* heatNone;
    QAction* patchGrid;
    QAction* asSeen;
    QAction* fitPicture;
    QAction* scaleLinear;
    QAction* scaleSquareRoot;
    QAction* scaleLog;
    QAction* scaleRank;
    QAction* appearanceSystem;
    QAction* appearanceLight;
    QAction* appearanceDark;
    QAction* resetLayout;
    QAction* activateFirst;
    QAction* activateSecond;
    QAction* linkPanels;
    QAction* swapPanels;
    QAction* previousWritten;
    QAction* nextWritten;
    QAction* compareModel;
    QAction* compareText;
    QAction* shareInput;
    QAction* swapSides;
    QAction* stopComparing;
    QAction* aboutModel;
    QAction* runText;
    QAction* cancel;
    QAction* about;
    QAction* shortcuts;
    QAction* supportedModels;

    /// Every action with a shortcut, for the list of shortcuts.
    std::vector<QAction*> withShortcuts() const;
    /// Actions that need an open model.
    void setModelOpen(bool open);
    /// Actions that need something that the model wrote.
    void setWritten(bool written);
    /// Where the text on show does not tell its words, the action says why it cannot be had.
    void setWords(bool told, bool shown);
    /// Actions that need a picture, and the one that needs a model which reads them.
    void setPictureOpen(bool open, bool canChange);
    /// Actions of a comparison, and those that begin one.
    void setComparing(bool comparing, bool canCompareTexts);

private:
    QAction* add(const QString& text, const QString& hint, const QKeySequence& shortcut = {});
    QActionGroup* exclusive(const std::vector<QAction*>& actions);
};

}  // namespace fovea::app
