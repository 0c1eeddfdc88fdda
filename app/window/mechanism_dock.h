// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace fovea::widgets {
class MechanismEditor;
class RowReadout;
class SegmentedButtons;
}  // namespace fovea::widgets

namespace fovea::app {

class Workbench;

/// Right: mechanism, view and numbers of the active panel.
class MechanismDock final : public QDockWidget {
    Q_OBJECT

public:
    explicit MechanismDock(Workbench& workbench, QWidget* parent = nullptr);
    widgets::MechanismEditor* editor() const { return editor_; }
    widgets::RowReadout* readout() const { return readout_; }

private:
    void follow();
    void followRow();

    Workbench& workbench_;
    widgets::MechanismEditor* editor_;
    widgets::SegmentedButtons* view_;
    widgets::RowReadout* readout_;
};

}  // namespace fovea::app
