// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_dock.h"

#include <QSplitter>
#include <QVBoxLayout>

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
    connect(input_, &widgets::TokenInput::runRequested, &workbench_, &Workbench::setText);
    connect(picture_, &widgets::PictureInput::sizingPicked, &workbench_, &Workbench::setSizing);
    connect(picture_, &widgets::PictureInput::chooseRequested, this, &ModelDock::pictureRequested);
    connect(&workbench_, &Workbench::modelOpened, this, &ModelDock::takeModel);
    connect(&workbench_, &Workbench::stateChanged, this, &ModelDock::follow);
    connect(&workbench_, &Workbench::inputComplaint, this, &ModelDock::complain);
    picture_->hide();
}

void ModelDock::takeModel() {
    const ModelInfo& info = workbench_.run()->info();
    heads_.setSites(info.sites);
    input_->setPairAllowed(info.typeVocabularySize > 1 && !info.readsPictures());
    input_->setVisible(info.readsText());
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

void ModelDock::follow() {
    const session::DocumentState& state = workbench_.state();
    const session::Selection& selection = state.panels.at(state.activePanel).selection;
    tree_->showHead(selection.site, selection.head);
    followPicture();
    if (workbench_.run() != nullptr) input_->setTokenCount(workbench_.run()->own->tokens.size());
    // Half-typed words are not taken away by a slider: only another text of the document is shown.
    if (shownInput_ != state.input.text) {
        shownInput_ = state.input.text;
        input_->setInput(state.input.text);
    }
}

}  // namespace fovea::app
