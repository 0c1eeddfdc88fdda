// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

namespace fovea::widgets {
class OutputsView;
}

namespace fovea::app {

class Workbench;

/// Bottom: what the model answers as it is, and with the active panel's mechanism inside. Seen only
/// while that panel acts inside the model.
class OutputsDock final : public QDockWidget {
    Q_OBJECT

public:
    explicit OutputsDock(Workbench& workbench, QWidget* parent = nullptr);
    widgets::OutputsView* view() const { return view_; }
    /// Shows or hides the dock as the active panel asks.
    void follow();

private:
    Workbench& workbench_;
    widgets::OutputsView* view_;
};

}  // namespace fovea::app
