// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_session.h"

#include <chrono>

#include "core/support/precondition.h"

namespace fovea::widgets {

namespace {

// A model with few positions or a small vocabulary may refuse a sentence; a word is better than no window.
Result<ModelSession::Run> runOpeningText(const OpenedModel& opened, const std::filesystem::path& folder,
                                         const RunControl& control) {
    auto ran = runOwn(opened, openingText(folder), control);
    if (ran || ran.error().kind == ErrorKind::Cancelled) return ran;
    auto shorter = runOwn(opened, {"the dog", std::nullopt}, control);
    return shorter ? shorter : ran;
}

Result<ModelSession::Run> openAndRun(const ModelOpener& opener, const std::filesystem::path& folder,
                                     const RunControl& control) {
    const auto model = opener(folder, control);
    if (!model) return std::unexpected(model.error());
    control.report("running the text", 0.9);
    return runOpeningText(*model, folder, control);
}

}  // namespace

ModelSession::ModelSession(ModelOpener opener, QObject* parent) : QObject(parent), opener_(std::move(opener)) {
    for (LatestWins* worker : {&folders_, &texts_}) {
        connect(worker, &LatestWins::busyChanged, this, [this] { Q_EMIT busyChanged(busy()); });
    }
    connect(&folders_, &LatestWins::broken, this, &ModelSession::openFailed);
    connect(&texts_, &LatestWins::broken, this, &ModelSession::runFailed);
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

void ModelSession::open(const std::filesystem::path& folder) {
    folders_.submit([this, folder, opener = opener_](std::stop_token stop, const LatestWins::Deliver& deliver) {
        const RunControl control = controlOf(stop, deliver);
        auto result = openAndRun(opener, folder, control);
        deliver([this, result = std::move(result)] { settleOpening(result); });
    });
}

void ModelSession::runText(const session::TextInput& text) {
    require(run_ != nullptr, "a text needs an open model");
    texts_.submit([this, text, model = run_->opened](std::stop_token stop, const LatestWins::Deliver& deliver) {
        const RunControl control = controlOf(stop, deliver);
        control.report("running the text", 0.0);
        auto result = runOwn(model, text, control);
        deliver([this, result = std::move(result)] { settleText(result); });
    });
}

void ModelSession::cancel() {
    if (!busy()) return;
    folders_.cancel();
    texts_.cancel();
    Q_EMIT cancelled();
}

void ModelSession::settleOpening(const Result<Run>& result) {
    if (result) {
        texts_.cancel();  // they were meant for the model before
        run_ = *result;
        Q_EMIT opened();
    } else if (result.error().kind == ErrorKind::Cancelled) {
        Q_EMIT cancelled();
    } else {
        Q_EMIT openFailed(QString::fromStdString(result.error().message));
    }
}

void ModelSession::settleText(const Result<Run>& result) {
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
