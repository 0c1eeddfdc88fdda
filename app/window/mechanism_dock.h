// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

#include "core/session/evaluation.h"

namespace fovea::widgets {
class LookEditor;
class MechanismEditor;
class QueryPool;
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
    widgets::LookEditor* look() const { return look_; }
    widgets::QueryPool* pool() const { return pool_; }
    widgets::RowReadout* readout() const { return readout_; }

private:
    const session::Selection& selection() const;
    void takeModel();
    void follow();
    void followRow();

    Workbench& workbench_;
    widgets::MechanismEditor* editor_;
    widgets::SegmentedButtons* view_;
    widgets::LookEditor* look_;
    widgets::QueryPool* pool_;
    widgets::RowReadout* readout_;
};

}  // namespace fovea::app
