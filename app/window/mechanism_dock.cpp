// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mechanism_dock.h"

#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>

#include "app/window/workbench.h"
#include "widgets/views/mechanism_editor.h"
#include "widgets/views/row_readout.h"
#include "widgets/views/segmented_buttons.h"

namespace fovea::app {

MechanismDock::MechanismDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(parent),
      workbench_(workbench),
      editor_(new widgets::MechanismEditor),
      view_(new widgets::SegmentedButtons({tr("Text"), tr("Matrix")}, tr("View"))),
      readout_(new widgets::RowReadout) {
    setObjectName(QStringLiteral("mechanism dock"));
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(10, 8, 10, 8);
    column->setSpacing(14);
    column->addWidget(editor_);
    column->addWidget(view_);
    column->addWidget(readout_);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(body);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setMinimumWidth(236);
    setWidget(scroll);
    connect(editor_, &widgets::MechanismEditor::mechanismChanged, &workbench_, &Workbench::setMechanism);
    connect(view_, &widgets::SegmentedButtons::picked, &workbench_, [this](int index) {
        workbench_.setView(index == 0 ? session::View::Text : session::View::Matrix);
    });
    connect(&workbench_, &Workbench::stateChanged, this, &MechanismDock::follow);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        connect(&workbench_.panel(index), &widgets::PanelViewModel::rowChanged, this, [this, index] {
            if (index == workbench_.activePanel()) followRow();
        });
    }
    follow();
}

void MechanismDock::follow() {
    const session::DocumentState& state = workbench_.state();
    const session::PanelState& panel = state.panels.at(state.activePanel);
    setWindowTitle(tr("Mechanism of %1").arg(workbench_.activePanelModel().picture().letter));
    editor_->setMechanism(panel.mechanism);
    view_->setCurrent(panel.view == session::View::Text ? 0 : 1);
    followRow();
}

void MechanismDock::followRow() {
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    readout_->setRow(panel.picture(), panel.row());
}

}  // namespace fovea::app
