// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/actions.h"

namespace fovea::app {

namespace {

QString wordsHint(bool told) {
    return told ? Actions::tr("Show words: weights summed over the tokens of a key, averaged over those of a "
                              "query")
                : Actions::tr("There are no words to show: a picture has none, and recorded attention needs "
                              "tokens that tell where words begin");
}

}  // namespace

Actions::Actions(QObject* parent)
    : QObject(parent),
      openFolder(add(tr("&Open model folder…"), tr("Open a folder with a model"), QKeySequence::Open)),
      openFile(
          add(tr("Open &file…"), tr("Open recorded attention or a session"), QKeySequence(tr("Ctrl+Alt+O")))),
      openPicture(
          add(tr("Open &picture…"), tr("Give the model another picture"), QKeySequence(tr("Ctrl+P")))),
      openSample(add(tr("Open &sample"), tr("Open the bundled sample"), QKeySequence(tr("Ctrl+Shift+O")))),
      saveSession(
          add(tr("&Save session"), tr("Keep panels, mechanisms and input in a file"), QKeySequence::Save)),
      saveSessionAs(add(tr("Save session &as…"), tr("Keep the session in another file"),
                        QKeySequence(tr("Ctrl+Shift+S")))),
      exportFigure(
          add(tr("&Export figure…"), tr("Write the panels to SVG, PDF or PNG"), QKeySequence(tr("Ctrl+E")))),
      copyFigure(
          add(tr("&Copy figure"), tr("Copy the panels as a picture"), QKeySequence(tr("Ctrl+Shift+C")))),
      quit(add(tr("&Quit"), tr("Close Fovea"), QKeySequence::Quit)),
      copyValues(add(tr("Copy &values"), tr("Copy the numbers of the row and the outputs"),
                     QKeySequence(tr("Ctrl+Alt+C")))),
      viewText(add(tr("&Text"), tr("Show the active panel as text"), QKeySequence(tr("Ctrl+T")))),
      viewImage(add(tr("&Image"), tr("Show the active panel over the picture"), QKeySequence(tr("Ctrl+I")))),
      viewMatrix(add(tr("&Matrix"), tr("Show the active panel as a matrix"), QKeySequence(tr("Ctrl+M")))),
      viewDensity(
          add(tr("&Density"), tr("Show the active panel's density on axes"), QKeySequence(tr("Ctrl+D")))),
      rawPieces(add(tr("Show raw &pieces"), tr("Label tokens by the pieces of the vocabulary"),
                    QKeySequence(tr("Ctrl+Alt+P")))),
      groupWords(add(tr("Group tokens into &words"), wordsHint(true), QKeySequence(tr("Ctrl+Alt+W")))),
      heatSmooth(add(tr("&Smooth heat"), tr("Blend the weights between patches"))),
      heatPatches(add(tr("Heat by &patch"), tr("One colour a patch"))),
      heatNone(add(tr("&No heat"), tr("Leave the picture as it is"))),
      patchGrid(add(tr("Patch &grid"), tr("Show the borders of the patches"), QKeySequence(tr("Ctrl+G")))),
      asSeen(add(tr("As the model &sees it"), tr("Show the picture after resizing and cropping"),
                 QKeySequence(tr("Ctrl+Shift+I")))),
      fitPicture(add(tr("&Fit picture"), tr("Show the whole picture"), QKeySequence(tr("Ctrl+0")))),
      scaleLinear(add(tr("&Linear"), tr("Colours in proportion to the weights"))),
      scaleSquareRoot(add(tr("S&quare root"), tr("Colours by the root of the weights"))),
      scaleLog(add(tr("Lo&garithm"), tr("Colours by the logarithm of the weights"))),
      scaleRank(add(tr("&Rank"), tr("Colours by the rank of the weights"))),
      appearanceSystem(add(tr("As the &system"), tr("Light or dark as the system is"))),
      appearanceLight(add(tr("&Light"), tr("Light colours"))),
      appearanceDark(add(tr("&Dark"), tr("Dark colours"))),
      resetLayout(add(tr("&Reset layout"), tr("Put docks and sizes back"))),
      activateFirst(add(tr("Activate panel &A"), tr("Turn to panel A"), QKeySequence(tr("Ctrl+1")))),
      activateSecond(add(tr("Activate panel &B"), tr("Turn to panel B"), QKeySequence(tr("Ctrl+2")))),
      linkPanels(add(tr("&Link panels"), tr("Panels share selection, hover and colour scale"),
                     QKeySequence(tr("Ctrl+L")))),
      swapPanels(add(tr("&Swap panels"), tr("Exchange panels A and B"), QKeySequence(tr("Ctrl+Shift+X")))),
      previousWritten(add(tr("&Previous written token"), tr("Go back to where the token before was chosen"),
                          QKeySequence(tr("Alt+Left")))),
      nextWritten(add(tr("&Next written token"), tr("Go on to where the next token was chosen"),
                      QKeySequence(tr("Alt+Right")))),
      compareModel(add(tr("Compare with another &model…"), tr("Read the same input with another model"),
                       QKeySequence(tr("Ctrl+Alt+M")))),
      compareText(add(tr("Compare with another &text…"),
                      tr("Give the same model an edited text beside this one"),
                      QKeySequence(tr("Ctrl+Alt+T")))),
      shareInput(
          add(tr("Give both sides this &input"), tr("The other side reads what the active one reads"))),
      swapSides(add(tr("S&wap sides"), tr("Panels exchange what they look at, and keep their mechanisms"),
                    QKeySequence(tr("Ctrl+Alt+X")))),
      stopComparing(add(tr("&Stop comparing"), tr("Keep the side of panel A alone"))),
      aboutModel(add(tr("&About this model…"), tr("Architecture, memory, sites and tensors of the model"),
                     QKeySequence(tr("Alt+Return")))),
      runText(add(tr("&Run text"), tr("Run the text through the model"), QKeySequence(tr("Ctrl+Return")))),
      cancel(add(tr("&Cancel"), tr("Stop what is running"), QKeySequence(tr("Ctrl+.")))),
      about(add(tr("&About Fovea"), tr("Version and licence"))),
      shortcuts(add(tr("&Keyboard shortcuts"), tr("List the shortcuts"), QKeySequence::HelpContents)),
      supportedModels(add(tr("Supported &models"), tr("List the families of models that can be opened"))) {
    for (QAction* action : {viewText, viewImage, viewMatrix, viewDensity, groupWords, heatSmooth, heatPatches,
                            heatNone, patchGrid, asSeen, scaleLinear, scaleSquareRoot, scaleLog, scaleRank,
                            appearanceSystem, appearanceLight, appearanceDark, linkPanels, rawPieces}) {
        action->setCheckable(true);
    }
    exclusive({viewText, viewImage, viewMatrix, viewDensity});
    exclusive({heatSmooth, heatPatches, heatNone});
    exclusive({scaleLinear, scaleSquareRoot, scaleLog, scaleRank});
    exclusive({appearanceSystem, appearanceLight, appearanceDark});
    cancel->setEnabled(false);
    quit->setMenuRole(QAction::QuitRole);
    about->setMenuRole(QAction::AboutRole);
    setModelOpen(false);
    setPictureOpen(false, false);
    setComparing(false, false);
    setWritten(false);
    setWords(false, false);
}

QAction* Actions::add(const QString& text, const QString& hint, const QKeySequence& shortcut) {
    auto* action = new QAction(text, this);
    action->setStatusTip(hint);
    if (!shortcut.isEmpty()) action->setShortcut(shortcut);
    return action;
}

QActionGroup* Actions::exclusive(const std::vector<QAction*>& actions) {
    auto* group = new QActionGroup(this);
    for (QAction* action : actions) group->addAction(action);
    return group;
}

std::vector<QAction*> Actions::withShortcuts() const {
    std::vector<QAction*> found;
    for (QAction* action : findChildren<QAction*>(Qt::FindDirectChildrenOnly)) {
        if (!action->shortcut().isEmpty()) found.push_back(action);
    }
    return found;
}

void Actions::setModelOpen(bool open) {
    for (QAction* action :
         {saveSession, saveSessionAs, exportFigure, copyFigure, copyValues, viewText, viewMatrix, viewDensity,
          scaleLinear, scaleSquareRoot, scaleLog, scaleRank, activateFirst, activateSecond, linkPanels,
          swapPanels, rawPieces, runText, compareModel, aboutModel}) {
        action->setEnabled(open);
    }
}

void Actions::setWritten(bool written) {
    for (QAction* action : {previousWritten, nextWritten}) action->setEnabled(written);
}

void Actions::setWords(bool told, bool shown) {
    groupWords->setEnabled(told);
    groupWords->setChecked(told && shown);
    groupWords->setStatusTip(wordsHint(told));
    groupWords->setToolTip(wordsHint(told));
}

void Actions::setPictureOpen(bool open, bool canChange) {
    for (QAction* action : {viewImage, heatSmooth, heatPatches, heatNone, patchGrid, asSeen, fitPicture}) {
        action->setEnabled(open);
    }
    openPicture->setEnabled(canChange);
}

void Actions::setComparing(bool comparing, bool canCompareTexts) {
    compareText->setEnabled(canCompareTexts && !comparing);
    for (QAction* action : {shareInput, swapSides, stopComparing}) action->setEnabled(comparing);
}

}  // namespace fovea::app
