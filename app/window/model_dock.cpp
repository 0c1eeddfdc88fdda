// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_dock.h"

#include <QSplitter>
#include <QVBoxLayout>
#include <utility>

#include "app/window/workbench.h"
#include "widgets/views/head_tree.h"
#include "widgets/views/picture_input.h"
#include "widgets/views/token_input.h"

namespace fovea::app {

ModelDock::ModelDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(tr("Heads and input"), parent),
      workbench_(workbench),
      tree_(new widgets::HeadTree(&heads_)),
      picture_(new widgets::PictureInput),
      input_(new widgets::TokenInput) {
    setObjectName(QStringLiteral("model dock"));
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(tree_);
    splitter->addWidget(picture_);
    splitter->addWidget(input_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 0);
    splitter->setStretchFactor(2, 2);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(8, 8, 4, 8);
    column->addWidget(splitter);
    setWidget(body);
    connect(tree_, &widgets::HeadTree::headPicked, &workbench_, &Workbench::pickHead);
    connect(input_, &widgets::TokenInput::runRequested, this,
            [this](const session::TextInput& input) { workbench_.setText(shownSide_, input); });
    connect(picture_, &widgets::PictureInput::sizingPicked, &workbench_, &Workbench::setSizing);
    connect(picture_, &widgets::PictureInput::chooseRequested, this, &ModelDock::pictureRequested);
    connect(&workbench_, &Workbench::modelOpened, this, &ModelDock::takeModel);
    connect(&workbench_, &Workbench::subjectChanged, this, &ModelDock::takeModel);
    connect(&workbench_, &Workbench::stateChanged, this, &ModelDock::follow);
    connect(&workbench_, &Workbench::inputComplaint, this, &ModelDock::complain);
    picture_->hide();
}

void ModelDock::takeModel() {
    const ModelInfo& info = workbench_.run()->info();
    heads_.setSites(info.sites);
    // Classifiers read pairs without token types too.
    const bool pairs = info.typeVocabularySize > 1 || !info.labels.empty();
    input_->setPairAllowed(pairs && !info.readsPictures());
    using Writing = widgets::TokenInput::Writing;
    const bool writes = info.generates && workbench_.run()->canRunAgain();
    const std::size_t most = info.writesAnswers() && info.maxPositions > 1 ? info.maxPositions - 1
                                                                           : info.maxPositions;
    input_->setWriting(!writes               ? Writing::None
                       : info.writesAnswers() ? Writing::Answer
                                              : Writing::Continuation,
                       most);
    input_->setVisible(info.readsText());
    input_->setSpecialTokens(session::insertableTokens(workbench_.run()->opened.tokenizer.get()));
    follow();
}

void ModelDock::complain(const QString& sentence) {
    const bool aboutPicture = workbench_.readsPictures();
    picture_->setComplaint(aboutPicture ? sentence : QString());
    input_->setComplaint(aboutPicture ? QString() : sentence);
}

void ModelDock::followPicture() {
    const widgets::ModelSession::Run& run = workbench_.run();
    if (run == nullptr) return;
    const auto& prepared = run->prepared.picture;
    picture_->setVisible(prepared != nullptr || workbench_.readsPictures());
    if (shownRun_ == run.get()) return;
    shownRun_ = run.get();
    session::PictureChoice choice = run->input.picture.value_or(session::PictureChoice{});
    if (run->opened.dump) choice.file = run->opened.dump->imageFile.value_or(run->info().folder);
    const std::size_t patchSize = workbench_.readsPictures() ? run->info().vision->patchSize : 0;
    picture_->setPicture(choice, prepared, run->pictureNote, patchSize);
}

// Half-typed words are not taken away by a slider: only another text of the document is shown, or another
// side's. What was typed for one side is run there before the other's is shown.
void ModelDock::followText() {
    const session::DocumentState& state = workbench_.state();
    const std::size_t side = state.activeSide();
    const session::TextInput& text = state.sides.at(side).input.text;
    setWindowTitle(state.comparing() ? tr("Heads and input of %1")
                                           .arg(workbench_.activePanelModel().picture().letter)
                                     : tr("Heads and input"));
    if (shownSide_ != side) {
        const std::size_t left = std::exchange(shownSide_, side);
        const session::TextInput typed = input_->input();
        if (left < state.sides.size() && typed != shownInput_) workbench_.setText(left, typed);
        shownInput_ = text;
        input_->setInput(text);
        input_->setComplaint({});
    } else if (shownInput_ != text) {
        shownInput_ = text;
        input_->setInput(text);
    }
}

void ModelDock::follow() {
    const session::DocumentState& state = workbench_.state();
    const session::Selection& selection = state.panels.at(state.activePanel).selection;
    tree_->showHead(selection.site, selection.head);
    followPicture();
    if (workbench_.run() != nullptr) {
        const Trace& trace = *workbench_.run()->own;
        input_->setTokenCount(trace.tokens.size(), trace.targetTokens.size());
    }
    followText();
}

}  // namespace fovea::app
