// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/outputs_dock.h"

#include <QMainWindow>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>

#include "app/window/workbench.h"
#include "core/session/query_choice.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/views/outputs_view.h"
#include "widgets/views/written_stepper.h"

namespace fovea::app {

namespace {
// A title and six lines.
constexpr int usualHeight = 206;
// With steps and answers.
constexpr int heightOfWriting = 268;
}  // namespace

OutputsDock::OutputsDock(Workbench& workbench, QWidget* parent)
    : QDockWidget(tr("Outputs before and after"), parent),
      workbench_(workbench),
      view_(new widgets::OutputsView),
      stepper_(new widgets::WrittenStepper) {
    setObjectName(QStringLiteral("outputs dock"));
    auto* scroll = new QScrollArea;
    scroll->setWidget(view_);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(stepper_);
    column->addWidget(scroll, 1);
    setWidget(body);
    stepper_->hide();
    connect(stepper_, &widgets::WrittenStepper::stepped, &workbench_, &Workbench::stepWritten);
    connect(&rewritten_, &widgets::RewrittenAnswer::changed, this, &OutputsDock::followAnswers);
    connect(&workbench_, &Workbench::stateChanged, this, &OutputsDock::follow);
    for (std::size_t index = 0; index < workbench_.panelCount(); ++index) {
        connect(&workbench_.panel(index), &widgets::PanelViewModel::pictureChanged, this,
                &OutputsDock::follow);
        connect(&workbench_.panel(index), &widgets::PanelViewModel::behindChanged, this,
                &OutputsDock::rewrite);
    }
}

void OutputsDock::follow() {
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    view_->setOutputs(panel.outputs(), panel.picture().letter,
                      widgets::mechanismWords(panel.picture()));
    followSteps();
    rewrite();
    followAnswers();
    const Workbench::Run& run = workbench_.run();
    const bool inside = workbench_.state().panels.at(workbench_.activePanel()).mechanism.insideModel;
    const bool wanted = run != nullptr && (inside || run->prompt.has_value());
    setWindowTitle(inside ? tr("Outputs before and after") : tr("Outputs"));
    if (isHidden() != wanted) return;
    setVisible(wanted);
    auto* window = qobject_cast<QMainWindow*>(parentWidget());
    if (wanted && window != nullptr) {
        window->resizeDocks({this},
                            {std::min(run->prompt ? heightOfWriting : usualHeight, window->height() / 3)},
                            Qt::Vertical);
    }
}

void OutputsDock::followSteps() {
    const Workbench::Run& run = workbench_.run();
    const session::WrittenSteps steps = run == nullptr ? session::WrittenSteps{}
                                                       : session::writtenSteps(*run->own);
    stepper_->setVisible(steps.count() > 0);
    if (steps.count() == 0) return;
    const Trace& trace = *run->own;
    const session::Selection& selection = workbench_.state().panels.at(workbench_.activePanel()).selection;
    const auto& tokens = trace.targetTokens.empty() ? trace.tokens : trace.targetTokens;
    const std::size_t query = selection.query.value;
    const bool there = session::writesAtQueries(trace, selection.site) && query >= steps.first &&
                       query < steps.past;
    if (!there) return stepper_->setStep(steps.count(), steps.count(), {}, {});
    stepper_->setStep(query - steps.first, steps.count(), widgets::tokenName(tokens[query]),
                      widgets::tokenName(tokens[query + 1]));
}

// A panel that is still on its way, a slider that is being dragged say, would only be in its own way.
void OutputsDock::rewrite() {
    const widgets::PanelViewModel& panel = workbench_.activePanelModel();
    const session::MechanismChoice& mechanism =
        workbench_.state().panels.at(workbench_.activePanel()).mechanism;
    const bool asked = mechanism.insideModel && workbench_.run() != nullptr && workbench_.run()->prompt;
    const bool current = panel.picture().state.mechanism == mechanism && workbench_.settled();
    if (!asked) rewritten_.clear();
    else if (current) rewritten_.show(workbench_.run(), mechanism.weights);
    else rewritten_.holdUnless(workbench_.run(), mechanism.weights);
}

void OutputsDock::followAnswers() {
    widgets::AnswerTexts answers;
    if (const Workbench::Run& run = workbench_.run(); run != nullptr && run->prompt)
        answers.before = run->answer();
    answers.after = rewritten_.text();
    answers.writing = rewritten_.writing();
    view_->setAnswers(answers);
}

}  // namespace fovea::app
