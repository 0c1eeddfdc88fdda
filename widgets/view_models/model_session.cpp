// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_session.h"

#include <chrono>

#include "core/support/precondition.h"

namespace fovea::widgets {

namespace {

// A model with few positions or a small vocabulary may refuse a sentence; a word is better than no window.
Result<ModelSession::Run> runOpeningInput(const OpenedModel& opened,
                                          const std::filesystem::path& samplePicture,
                                          const RunControl& control) {
    session::InputChoice input = openingInput(opened.info(), samplePicture);
    auto ran = runOwn(opened, input, control);
    if (ran || ran.error().kind == ErrorKind::Cancelled || !opened.info().readsText()) return ran;
    input.text = {"the dog", std::nullopt};
    auto shorter = runOwn(opened, input, control);
    return shorter ? shorter : ran;
}

Result<ModelSession::Run> perform(const ModelSession::Opening& opening, const ModelOpener& opener,
                                  const std::filesystem::path& samplePicture, const RunControl& control) {
    auto opened = opening.known ? Result<OpenedModel>(*opening.known)
                                : opener(opening.source, opening.options, control);
    if (!opened) return std::unexpected(opened.error());
    opened->source = opening.source;
    opened->options = opening.options;
    control.report("running the input", 0.9);
    if (!opening.input) return runOpeningInput(*opened, samplePicture, control);
    return runOwn(*opened, opening.fitted ? fittedInput(*opening.input, *opened) : *opening.input, control);
}

}  // namespace

ModelSession::ModelSession(ModelOpener opener, QObject* parent)
    : QObject(parent), opener_(std::move(opener)) {
    for (LatestWins* worker : {&sources_, &inputs_}) {
        connect(worker, &LatestWins::busyChanged, this, [this] { Q_EMIT busyChanged(busy()); });
    }
    connect(&sources_, &LatestWins::broken, this, &ModelSession::openFailed);
    connect(&inputs_, &LatestWins::broken, this, &ModelSession::runFailed);
}

// Progress of hundreds of tensors reaches the window at most every 30 ms.
RunControl ModelSession::controlOf(std::stop_token stop, const LatestWins::Deliver& deliver) {
    using Clock = std::chrono::steady_clock;
    auto last = std::make_shared<Clock::time_point>();
    auto stageBefore = std::make_shared<std::string>();
    return {std::move(stop), [this, deliver, last, stageBefore](std::string_view stage, double fraction) {
                const auto now = Clock::now();
                if (stage == *stageBefore && now - *last < std::chrono::milliseconds(30)) return;
                *last = now;
                *stageBefore = stage;
                deliver([this, name = QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size())),
                         fraction] { Q_EMIT progressed(name, fraction); });
            }};
}

void ModelSession::open(Opening opening) {
    sources_.submit([this, opening = std::move(opening), opener = opener_, sample = samplePicture_](
                        std::stop_token stop, const LatestWins::Deliver& deliver) {
        auto result = perform(opening, opener, sample, controlOf(stop, deliver));
        deliver([this, result = std::move(result)] { settleOpening(result); });
    });
}

void ModelSession::keep(Run run) {
    sources_.cancel();
    inputs_.cancel();
    run_ = std::move(run);
}

void ModelSession::runInput(const session::InputChoice& input) {
    require(run_ != nullptr, "an input needs an open model");
    inputs_.submit(
        [this, input, model = run_->opened](std::stop_token stop, const LatestWins::Deliver& deliver) {
            const RunControl control = controlOf(stop, deliver);
            control.report("running the input", 0.0);
            auto result = runOwn(model, input, control);
            deliver([this, result = std::move(result)] { settleInput(result); });
        });
}

void ModelSession::cancel() {
    if (!busy()) return;
    sources_.cancel();
    inputs_.cancel();
    Q_EMIT cancelled();
}

void ModelSession::settleOpening(const Result<Run>& result) {
    if (result) {
        inputs_.cancel();  // they were meant for the model before
        run_ = *result;
        Q_EMIT opened();
    } else if (result.error().kind == ErrorKind::Cancelled) {
        Q_EMIT cancelled();
    } else {
        Q_EMIT openFailed(QString::fromStdString(result.error().message));
    }
}

void ModelSession::settleInput(const Result<Run>& result) {
    if (result) {
        run_ = *result;
        Q_EMIT ran();
    } else if (result.error().kind == ErrorKind::Cancelled) {
        Q_EMIT cancelled();
    } else {
        Q_EMIT runFailed(QString::fromStdString(result.error().message));
    }
}

}  // namespace fovea::widgets
