// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mechanism_dock.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "app/window/workbench.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/views/look_editor.h"
#include "widgets/views/mechanism_editor.h"
#include "widgets/views/query_pool.h"
#include "widgets/views/row_readout.h"
#include "widgets/views/segmented_buttons.h"

namespace fovea::app {

namespace {
// As the buttons stand.
constexpr std::array viewOrder{session::View::Text, session::View::Image, session::View::Matrix,
                               session::View::Density};
}  // namespace

MechanismDock::MechanismDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(parent),
      workbench_(workbench),
      editor_(new widgets::MechanismEditor),
      view_(
          new widgets::SegmentedButtons({tr("Text"), tr("Image"), tr("Matrix"), tr("Density")}, tr("View"))),
      look_(new widgets::LookEditor),
      pool_(new widgets::QueryPool),
      readout_(new widgets::RowReadout) {
    setObjectName(QStringLiteral("mechanism dock"));
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(14);
    column->addWidget(editor_);
    column->addWidget(view_);
    column->addWidget(look_);
    column->addWidget(pool_);
    column->addWidget(readout_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(body);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(284);
    setWidget(scroll);
    connect(editor_, &widgets::MechanismEditor::mechanismChanged, &workbench_, &Workbench::setMechanism);
    connect(view_, &widgets::SegmentedButtons::picked, &workbench_,
            [this](int index) { workbench_.setView(viewOrder[static_cast<std::size_t>(index)]); });
    connect(look_, &widgets::LookEditor::lookChanged, &workbench_, &Workbench::setLook);
    connect(pool_, &widgets::QueryPool::poolingPicked, &workbench_, &Workbench::setPooling);
    connect(pool_, &widgets::QueryPool::clearRequested, &workbench_, [this] {
        workbench_.pickQuery(workbench_.activePanel(), selection().query);
    });
    connect(&workbench_, &Workbench::modelOpened, this, &MechanismDock::takeModel);
    connect(&workbench_, &Workbench::subjectChanged, this, &MechanismDock::takeModel);
    connect(&workbench_, &Workbench::stateChanged, this, &MechanismDock::follow);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        connect(&workbench_.panel(index), &widgets::PanelViewModel::rowChanged, this, [this, index] {
            if (index == workbench_.activePanel()) followRow();
        });
    }
    follow();
}

const session::Selection& MechanismDock::selection() const {
    return workbench_.state().panels.at(workbench_.activePanel()).selection;
}

void MechanismDock::takeModel() {
    const Trace& trace = *workbench_.run()->own;
    editor_->setSubject(trace.grid.has_value(), workbench_.run()->canRunAgain());
    for (std::size_t index = 0; index < viewOrder.size(); ++index) {
        view_->setChoiceEnabled(static_cast<int>(index), widgets::canShow(viewOrder[index], trace));
    }
    follow();
}

void MechanismDock::follow() {
    const session::DocumentState& state = workbench_.state();
    const session::PanelState& panel = state.panels.at(state.activePanel);
    setWindowTitle(tr("Mechanism of %1").arg(workbench_.activePanelModel().picture().letter));
    editor_->setMechanism(panel.mechanism);
    const auto shown = std::find(viewOrder.begin(), viewOrder.end(), panel.view);
    view_->setCurrent(static_cast<int>(shown - viewOrder.begin()));
    look_->setVisible(panel.view == session::View::Image);
    look_->setLook(panel.look);
    pool_->setSelection(workbench_.shownSelection(state.activePanel));
    followRow();
}

void MechanismDock::followRow() {
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    // A row of words may be there before the picture that names them.
    const bool fits =
        !panel.row() || panel.row()->selection.words == panel.picture().state.selection.words;
    if (fits) readout_->setRow(panel.picture(), panel.row());
}

}  // namespace fovea::app
