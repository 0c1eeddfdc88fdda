// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/side_runs.h"

#include <algorithm>

namespace fovea::app {

using widgets::ModelSession;

namespace {

bool isOf(const SideRuns::Run& run, const std::filesystem::path& source, const LoadOptions& options) {
    return run != nullptr && run->opened.source == source && run->opened.options == options;
}

}  // namespace

SideRuns::SideRuns(const widgets::ModelOpener& opener, QObject* parent) : QObject(parent) {
    for (std::size_t side = 0; side < sessions_.size(); ++side) {
        sessions_[side] = std::make_unique<ModelSession>(opener);
        connectSession(side);
    }
}

void SideRuns::connectSession(std::size_t side) {
    ModelSession* session = sessions_[side].get();
    connect(session, &ModelSession::opened, this, [this, side] { Q_EMIT opened(side); });
    connect(session, &ModelSession::ran, this, [this, side] { Q_EMIT ran(side); });
    connect(session, &ModelSession::openFailed, this,
            [this, side](const QString& message) { Q_EMIT openFailed(side, message); });
    connect(session, &ModelSession::runFailed, this,
            [this, side](const QString& message) { Q_EMIT runFailed(side, message); });
    connect(session, &ModelSession::cancelled, this, [this, side] { Q_EMIT cancelled(side); });
    connect(session, &ModelSession::busyChanged, this, [this] { Q_EMIT busyChanged(busy()); });
    connect(session, &ModelSession::progressed, this, &SideRuns::progressed);
}

std::array<std::shared_ptr<const Trace>, session::mostSides> SideRuns::traces() const {
    std::array<std::shared_ptr<const Trace>, session::mostSides> traces;
    for (std::size_t side = 0; side < runs_.size(); ++side) {
        if (runs_[side]) traces[side] = runs_[side]->own;
    }
    return traces;
}

session::Side SideRuns::shown(std::size_t side) const {
    const widgets::ModelRun& run = *runs_.at(side);
    return {run.opened.source, run.input, run.opened.options};
}

bool SideRuns::shows(std::size_t side, const session::Side& wanted) const {
    const Run& run = runs_.at(side);
    return isOf(run, wanted.source, wanted.options) && run->input == wanted.input;
}

std::optional<widgets::OpenedModel> SideRuns::known(const std::filesystem::path& source,
                                                    const LoadOptions& options) const {
    for (const auto& session : sessions_) {
        if (isOf(session->run(), source, options)) return session->run()->opened;
    }
    return std::nullopt;
}

void SideRuns::open(std::size_t side, widgets::ModelSession::Opening opening, Sharing sharing) {
    if (sharing == Sharing::Allowed) opening.known = known(opening.source, opening.options);
    sessions_.at(side)->open(std::move(opening));
}

void SideRuns::runInput(std::size_t side, const session::InputChoice& input) {
    sessions_.at(side)->runInput(input);
}

SideRuns::Fetch SideRuns::fetch(std::size_t side, const session::Side& wanted) {
    if (isOf(sessions_.at(side)->run(), wanted.source, wanted.options)) {
        runInput(side, wanted.input);
        return Fetch::Running;
    }
    open(side, {.source = wanted.source, .options = wanted.options, .input = wanted.input}, Sharing::Allowed);
    return Fetch::Opening;
}

void SideRuns::stop(std::size_t side) { sessions_.at(side)->keep(runs_.at(side)); }

void SideRuns::adopt(std::size_t side) {
    runs_.at(side) = sessions_.at(side)->run();
    relink();
}

void SideRuns::give(std::size_t side, Run run) {
    sessions_.at(side)->keep(run);
    runs_.at(side) = std::move(run);
    relink();
}

void SideRuns::revert() {
    for (std::size_t side = 0; side < sessions_.size(); ++side) {
        if (sessions_[side]->run() != runs_[side]) sessions_[side]->keep(runs_[side]);
    }
}

void SideRuns::exchange() {
    std::swap(runs_[0], runs_[1]);
    for (std::size_t side = 0; side < sessions_.size(); ++side) sessions_[side]->keep(runs_[side]);
    relink();
}

void SideRuns::relink() {
    if (!runs_[0] || !runs_[1]) return links_.reset();
    if (links_ && links_->areOf(runs_[0]->own.get(), runs_[1]->own.get())) return;
    links_ = std::make_unique<const session::SideLinks>(runs_[0]->own, runs_[1]->own);
}

void SideRuns::cancel() {
    for (const auto& session : sessions_) session->cancel();
}

bool SideRuns::busy() const {
    return std::ranges::any_of(sessions_, [](const auto& session) { return session->busy(); });
}

bool SideRuns::opening() const {
    return std::ranges::any_of(sessions_, [](const auto& session) { return session->opening(); });
}

}  // namespace fovea::app
