// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_view_model.h"

#include <QScopedValueRollback>
#include <algorithm>
#include <chrono>

namespace fovea::widgets {

namespace {

// Long enough for a run of a small model on a page of text: a drag then shows intermediate answers.
constexpr std::chrono::milliseconds patienceWithOvertakenRuns{1000};

bool sameQuestion(const session::MatrixEvaluation& matrix, const session::PanelState& state) {
    return matrix.mechanism == state.mechanism && matrix.selection.site == state.selection.site &&
           matrix.selection.head == state.selection.head;
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
    WhatIf known;
    std::shared_ptr<const Trace> matrixTrace;
    std::shared_ptr<const session::MatrixEvaluation> knownMatrix;

    Result<void> prepareTrace(Answer& answer, const RunControl& control) const {
        answer.picture.trace = run->own;
        if (!state.mechanism.insideModel) return {};
        const bool fits = known.trace && known.own == run->own && known.mechanism == state.mechanism.weights;
        if (!fits) {
            const auto start = std::chrono::steady_clock::now();
            auto trace = runWhatIf(*run, state.mechanism.weights, control);
            if (!trace) return std::unexpected(trace.error());
            const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
            answer.whatIf = {run->own, state.mechanism.weights, std::move(*trace), took.count()};
        }
        answer.picture.trace = answer.whatIf.trace;
        answer.outputs = std::make_shared<const session::OutputComparison>(
            session::compareOutputs(run->info(), run->opened.tokenizer.get(), *run->own, *answer.picture.trace,
                                    state.selection.query));
        return {};
    }

    Result<void> evaluateRow(Answer& answer) const {
        auto row = session::evaluateRow(*answer.picture.trace, *run->own, state.selection, state.mechanism);
        if (!row) return std::unexpected(row.error());
        answer.picture.row = std::make_shared<const session::RowEvaluation>(std::move(*row));
        return {};
    }

    Result<void> evaluateMatrix(Answer& answer, std::stop_token stop) const {
        if (state.view != session::View::Matrix) return {};
        if (knownMatrix && matrixTrace == answer.picture.trace && sameQuestion(*knownMatrix, state)) {
            answer.picture.matrix = knownMatrix;
            return {};
        }
        auto matrix = session::evaluateMatrix(*answer.picture.trace, state.selection, state.mechanism, std::move(stop));
        if (!matrix) return std::unexpected(matrix.error());
        answer.picture.matrix = std::make_shared<const session::MatrixEvaluation>(std::move(*matrix));
        return {};
    }
};

PanelViewModel::PanelViewModel(QString letter, QObject* parent) : QObject(parent), worker_(patienceWithOvertakenRuns) {
    picture_.letter = std::move(letter);
    connect(&worker_, &LatestWins::busyChanged, this, [this] { Q_EMIT behindChanged(behind()); });
    connect(&worker_, &LatestWins::broken, this, [this](const QString& reason) {
        picture_.message = reason;
        Q_EMIT pictureChanged();
    });
}

void PanelViewModel::show(Run run, const session::PanelState& state) {
    const bool same = run == run_ && state == wanted_ && run != nullptr;
    run_ = std::move(run);
    wanted_ = state;
    if (run_ == nullptr) return;
    setHeld(false);
    if (same) return;
    Job job{run_, picture_.letter, state, whatIf_, picture_.trace, picture_.matrix};
    worker_.submit([this, job = std::move(job)](std::stop_token stop, const LatestWins::Deliver& deliver) {
        Answer answer;
        answer.whatIf = job.known;
        answer.picture.letter = job.letter;
        answer.picture.state = job.state;
        answer.picture.place = placeText(job.run->info(), job.state.selection);
        auto done = job.prepareTrace(answer, {stop, {}});
        if (done) done = job.evaluateRow(answer);
        if (done && job.state.view == session::View::Matrix) {
            deliver([this, row = answer.picture.row] {
                row_ = row;
                Q_EMIT rowChanged();
            });
        }
        if (done) done = job.evaluateMatrix(answer, stop);
        if (!done && done.error().kind == ErrorKind::Cancelled) return;
        if (!done) answer.picture.message = sentence(done.error());
        answer.largest = largestValueOf(answer.picture);
        answer.picture.largestWeight = answer.largest;
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

double largestValueOf(const PanelPicture& picture) {
    const auto largestOf = [](const std::vector<double>& values) {
        double largest = 0;
        for (const double value : values) largest = value > largest ? value : largest;  // NaN never wins
        return largest;
    };
    if (picture.matrix) return picture.matrix->largest;
    if (!picture.row) return 1;
    const double largest = largestOf(picture.row->weights);
    return largest > 0 ? largest : 1;
}

QString placeText(const ModelInfo& info, const session::Selection& selection) {
    if (selection.site.value >= info.sites.size()) return {};
    const Site& site = info.sites[selection.site.value];
    QString text = QStringLiteral("layer %1 · head %2").arg(site.layer.value).arg(selection.head.value);
    const bool several = std::any_of(info.sites.begin(), info.sites.end(),
                                     [&](const Site& other) { return other.kind != site.kind; });
    if (several) {
        const auto kind = siteKindName(site.kind);
        text.prepend(QString::fromUtf8(kind.data(), static_cast<qsizetype>(kind.size())) + QLatin1Char(' '));
    }
    if (site.keyValueHeads > 0 && site.keyValueHeads < site.heads) {
        text += QStringLiteral(" (kv group %1)").arg(selection.head.value / (site.heads / site.keyValueHeads));
    }
    return text;
}

}  // namespace fovea::widgets
