// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/outputs_dock.h"

#include <QMainWindow>
#include <QScrollArea>
#include <algorithm>

#include "app/window/workbench.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/views/outputs_view.h"

namespace fovea::app {

namespace {
// A title and six lines.
constexpr int usualHeight = 206;
}  // namespace

OutputsDock::OutputsDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(tr("Outputs before and after"), parent),
      workbench_(workbench),
      view_(new widgets::OutputsView) {
    setObjectName(QStringLiteral("outputs dock"));
    auto* scroll = new QScrollArea;
    scroll->setWidget(view_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    setWidget(scroll);
    connect(&workbench_, &Workbench::stateChanged, this, &OutputsDock::follow);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        connect(&workbench_.panel(index), &widgets::PanelViewModel::pictureChanged, this,
                &OutputsDock::follow);
    }
}

void OutputsDock::follow() {
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    view_->setOutputs(panel.outputs(), panel.picture().letter,
                      widgets::mechanismWords(panel.picture()));
    const bool inside = workbench_.state().panels.at(workbench_.activePanel()).mechanism.insideModel;
    const bool wanted = inside && workbench_.run() != nullptr;
    if (isHidden() != wanted) return;
    setVisible(wanted);
    auto* window = qobject_cast<QMainWindow*>(parentWidget());
    if (wanted && window != nullptr) {
        window->resizeDocks({this}, {std::min(usualHeight, window->height() / 3)}, Qt::Vertical);
    }
}

}  // namespace fovea::app
