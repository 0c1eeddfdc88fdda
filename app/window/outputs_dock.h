// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>

#include "widgets/view_models/rewritten_answer.h"

namespace fovea::widgets {
class OutputsView;
class WrittenStepper;
}

namespace fovea::app {

class Workbench;

/// Bottom: what the model answers as it is, and with the active panel's mechanism inside; of a model that
/// wrote, what it chose from at the query, step by step, and what it would have written. Seen while that
/// panel acts inside the model, and when something was written.
class OutputsDock final : public QDockWidget {
    Q_OBJECT

public:
    explicit OutputsDock(Workbench& workbench, QWidget* parent = nullptr);
    widgets::OutputsView* view() const { return view_; }
    widgets::WrittenStepper* stepper() const { return stepper_; }
    const widgets::RewrittenAnswer& rewritten() const { return rewritten_; }
    /// Shows or hides the dock as the active panel asks.
    void follow();

private:
    void followSteps();
    void followAnswers();
    void rewrite();

    Workbench& workbench_;
    widgets::OutputsView* view_;
    widgets::WrittenStepper* stepper_;
    widgets::RewrittenAnswer rewritten_;
};

}  // namespace fovea::app
