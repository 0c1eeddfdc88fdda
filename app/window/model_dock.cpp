// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/model_dock.h"

#include <QSplitter>
#include <QVBoxLayout>

#include "app/window/workbench.h"
#include "widgets/views/head_tree.h"
#include "widgets/views/token_input.h"

namespace fovea::app {

ModelDock::ModelDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(tr("Heads and text"), parent),
      workbench_(workbench),
      tree_(new widgets::HeadTree(&heads_)),
      input_(new widgets::TokenInput) {
    setObjectName(QStringLiteral("model dock"));
    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->addWidget(tree_);
    splitter->addWidget(input_);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(8, 8, 4, 8);
    column->addWidget(splitter);
    setWidget(body);
    connect(tree_, &widgets::HeadTree::headPicked, &workbench_, &Workbench::pickHead);
    connect(input_, &widgets::TokenInput::runRequested, &workbench_, &Workbench::setText);
    connect(&workbench_, &Workbench::modelOpened, this, &ModelDock::takeModel);
    connect(&workbench_, &Workbench::stateChanged, this, &ModelDock::follow);
    connect(&workbench_, &Workbench::textComplaint, input_, &widgets::TokenInput::setComplaint);
}

void ModelDock::takeModel() {
    heads_.setSites(workbench_.run()->info().sites);
    input_->setPairAllowed(workbench_.run()->info().typeVocabularySize > 1);
    follow();
}

void ModelDock::follow() {
    const session::DocumentState& state = workbench_.state();
    const session::Selection& selection = state.panels.at(state.activePanel).selection;
    tree_->showHead(selection.site, selection.head);
    if (workbench_.run() != nullptr) input_->setTokenCount(workbench_.run()->own->tokens.size());
    // Half-typed words are not taken away by a slider: only another text of the document is shown.
    if (shownInput_ != state.input) {
        shownInput_ = state.input;
        input_->setInput(state.input);
    }
}

}  // namespace fovea::app
