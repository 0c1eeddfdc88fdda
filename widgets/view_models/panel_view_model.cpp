// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_view_model.h"

#include <QScopedValueRollback>
#include <algorithm>
#include <chrono>

#include "widgets/view_models/panel_evaluation.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::widgets {

namespace {

// Long enough for a run of a small model on a page of text: a drag then shows intermediate answers.
constexpr std::chrono::milliseconds patienceWithOvertakenRuns{1000};

bool sameQuestion(const session::MatrixEvaluation& matrix, const session::PanelState& state) {
    return matrix.mechanism == state.mechanism && matrix.selection.site == state.selection.site &&
           matrix.selection.head == state.selection.head && matrix.selection.words == state.selection.words;
}

QString sentence(const Error& error) { return QString::fromStdString(error.message); }

}  // namespace

struct PanelViewModel::Answer {
    PanelPicture picture;
    std::shared_ptr<const session::OutputComparison> outputs;
    WhatIf whatIf;
    double largest = 1;
};

// Everything that the worker needs, by value: nothing of the window is touched from there.
struct PanelViewModel::Job {
    Run run;
    QString letter;
    session::PanelState state;
    PanelContext context;
    WhatIf known;
    std::shared_ptr<const Trace> matrixTrace;
    std::shared_ptr<const session::MatrixEvaluation> knownMatrix;

    Result<void> prepareTrace(Answer& answer, const RunControl& control) const {
        answer.picture.trace = run->own;
        if (!state.mechanism.insideModel) {
            // What a model that writes chose from is worth seeing without a what-if too.
            if (run->info().generates) compareOutputs(answer);
            return {};
        }
        const bool fits = known.trace && known.own == run->own && known.mechanism == state.mechanism.weights;
        if (!fits) {
            const auto start = std::chrono::steady_clock::now();
            auto trace = runWhatIf(*run, state.mechanism.weights, control);
            if (!trace) return std::unexpected(trace.error());
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
            answer.whatIf = {run->own, state.mechanism.weights, std::move(*trace), took.count()};
        }
        answer.picture.trace = answer.whatIf.trace;
        compareOutputs(answer);
        return {};
    }

    void compareOutputs(Answer& answer) const {
        const auto query = session::outputQuery(*run->own, state.selection.site, state.selection.query);
        answer.outputs = std::make_shared<const session::OutputComparison>(session::compareOutputs(
            run->info(), run->opened.tokenizer.get(), *run->own, *answer.picture.trace, query));
    }

    Result<void> evaluateRow(Answer& answer) const {
        auto picture = rowPicture(*run, answer.picture.trace, state, letter);
        if (!picture) return std::unexpected(picture.error());
        answer.picture = std::move(*picture);
        return {};
    }

    Result<void> evaluateMatrix(Answer& answer, std::stop_token stop) const {
        const bool fits =
            knownMatrix && matrixTrace == tokenTrace(answer.picture) && sameQuestion(*knownMatrix, state);
        if (!fits || state.view != session::View::Matrix) return addMatrix(answer.picture, std::move(stop));
        answer.picture.matrix = knownMatrix;
        answer.picture.largestWeight = largestValueOf(answer.picture);
        return {};
    }
};

PanelViewModel::PanelViewModel(QString letter, QObject* parent)
    : QObject(parent), worker_(patienceWithOvertakenRuns) {
    picture_.letter = std::move(letter);
    connect(&worker_, &LatestWins::busyChanged, this, [this] { Q_EMIT behindChanged(behind()); });
    connect(&worker_, &LatestWins::broken, this, [this](const QString& reason) {
        picture_.message = reason;
        Q_EMIT pictureChanged();
    });
}

void PanelViewModel::show(Run run, const session::PanelState& state, PanelContext context) {
    const bool same = run == run_ && state == wanted_ && context == context_ && run != nullptr;
    run_ = std::move(run);
    wanted_ = state;
    context_ = std::move(context);
    if (run_ == nullptr) return;
    setHeld(false);
    if (same) return;
    Job job{run_, picture_.letter, state, context_, whatIf_, tokenTrace(picture_), picture_.matrix};
    worker_.submit([this, job = std::move(job)](std::stop_token stop, const LatestWins::Deliver& deliver) {
        Answer answer;
        answer.whatIf = job.known;
        answer.picture = emptyPicture(*job.run, job.state, job.letter);
        auto done = job.prepareTrace(answer, {stop, {}});
        if (done) done = job.evaluateRow(answer);
        if (done && job.state.view == session::View::Matrix && !job.state.withoutQuery) {
            deliver([this, row = answer.picture.row] {
                row_ = row;
                Q_EMIT rowChanged();
            });
        }
        if (done) done = job.evaluateMatrix(answer, stop);
        if (!done && done.error().kind == ErrorKind::Cancelled) return;
        if (!done) answer.picture.message = sentence(done.error());
        addContext(answer.picture, job.context);
        answer.largest = answer.picture.largestWeight;
        deliver([this, answer = std::move(answer)] { settle(answer); });
    });
}

void PanelViewModel::settle(Answer answer) {
    picture_ = std::move(answer.picture);
    outputs_ = std::move(answer.outputs);
    whatIf_ = std::move(answer.whatIf);
    ownLargest_ = answer.largest;
    row_ = picture_.row;
    {
        const QScopedValueRollback settling(settling_, true);
        Q_EMIT evaluated();
    }
    Q_EMIT rowChanged();
    Q_EMIT pictureChanged();
}

void PanelViewModel::hold() { setHeld(true); }

void PanelViewModel::fail(const QString& message) {
    worker_.cancel();
    setHeld(false);
    PanelPicture failed;
    failed.letter = picture_.letter;
    failed.state = wanted_;
    failed.message = message;
    run_ = nullptr;
    settle({std::move(failed), nullptr, {}, 1});
}

void PanelViewModel::setHeld(bool held) {
    if (held_ == held) return;
    held_ = held;
    Q_EMIT behindChanged(behind());
}

void PanelViewModel::setScaleTop(double largest) {
    if (picture_.largestWeight == largest) return;
    picture_.largestWeight = largest;
    if (!settling_) Q_EMIT pictureChanged();
}

}  // namespace fovea::widgets
