// SPDX-License-Identifier: GPL-3.0-or-later
// What the workbench does with the sides of its document: opening, comparing, running inputs.
#include <algorithm>
#include <functional>
#include <utility>

#include "app/window/workbench.h"
#include "widgets/view_models/panel_context.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::app {

using session::DocumentState;
using session::PanelState;
using Opening = widgets::ModelSession::Opening;

namespace {

QString nameOfChange(const session::InputChoice& before, const session::InputChoice& after) {
    if (before.picture != after.picture) return Workbench::tr("Change picture");
    const bool writes = after.text.generation.newTokens > 0;
    if (writes && before.text.generation != after.text.generation)
        return Workbench::tr("Let the model write");
    return Workbench::tr("Change text");
}

}  // namespace

void Workbench::setSamplePicture(const std::filesystem::path& file) {
    for (std::size_t side = 0; side < session::mostSides; ++side) runs_.session(side).setSamplePicture(file);
}

void Workbench::ask(std::size_t side, OpenPurpose purpose, Opening opening) {
    opening_.at(side) = purpose;
    sources_.at(side) = opening.source;
    // Opening anew means reading anew: the files may have changed.
    const bool anew = purpose == OpenPurpose::NewDocument;
    runs_.open(side, std::move(opening), anew ? SideRuns::Sharing::Never : SideRuns::Sharing::Allowed);
}

// Another document is on its way: what was being opened for this one is not wanted any more.
void Workbench::forgetWishes() {
    restoring_.reset();
    opening_.fill(OpenPurpose::Nothing);
    if (runs_.session(1).opening()) runs_.stop(1);
    runs_.revert();
}

void Workbench::open(const std::filesystem::path& path, const LoadOptions& options,
                     std::optional<session::PictureChoice> picture) {
    forgetWishes();
    std::optional<session::InputChoice> input;
    if (picture) input = session::InputChoice{{}, std::move(picture)};
    ask(0, OpenPurpose::NewDocument,
        {.source = widgets::sourceOf(path), .options = options, .input = std::move(input)});
}

// The sides one after the other: the second may be the same model, which is then opened once.
void Workbench::restore(const DocumentState& document) {
    forgetWishes();
    restoring_ = document;
    const session::Side& first = document.sides.front();
    ask(0, OpenPurpose::Restore, {.source = first.source, .options = first.options, .input = first.input});
}

void Workbench::compareWith(const std::filesystem::path& path, const LoadOptions& options) {
    if (run() == nullptr) return open(path, options);
    const std::size_t active = activeSide();
    Opening opening{.source = widgets::sourceOf(path), .options = options,
                    .input = state().sides.at(active).input, .fitted = true};
    if (state().comparing()) return ask(1 - active, OpenPurpose::Replace, std::move(opening));
    ask(1, OpenPurpose::Compare, std::move(opening));
}

void Workbench::replaceSide(std::size_t side, const std::filesystem::path& path, const LoadOptions& options) {
    if (!state().comparing()) return open(path, options);
    ask(side, OpenPurpose::Replace,
        {.source = widgets::sourceOf(path), .options = options, .input = state().sides.at(side).input,
         .fitted = true});
}

void Workbench::compareTexts() {
    if (run() == nullptr || !run()->canRunAgain() || state().comparing()) return;
    runs_.give(1, runs_.run(0));
    compareSides(state(), tr("Compare with another text"));
}

void Workbench::stopComparing() {
    if (!state().comparing()) return;
    DocumentState after = state();
    after.sides = {after.sides.at(after.panels.front().side)};
    for (PanelState& panel : after.panels) {
        const bool stays = panel.side == after.panels.front().side;
        if (!stays) panel.selection = after.panels.front().selection;
        panel.unmatched.clear();
        panel.withoutQuery = false;
    }
    for (PanelState& panel : after.panels) panel.side = 0;
    document_.change(tr("Stop comparing"), std::move(after));
}

void Workbench::swapSides() {
    if (!state().comparing()) return;
    DocumentState after = state();
    PanelState& a = after.panels.at(0);
    PanelState& b = after.panels.at(1);
    std::swap(a.side, b.side);
    std::swap(a.selection, b.selection);
    std::swap(a.unmatched, b.unmatched);
    std::swap(a.withoutQuery, b.withoutQuery);
    document_.change(tr("Swap sides"), std::move(after));
}

void Workbench::shareInput() {
    if (!state().comparing() || run() == nullptr) return;
    const std::size_t other = 1 - activeSide();
    if (runs_.run(other) == nullptr) return;
    runInput(other, widgets::fittedInput(state().sides.at(activeSide()).input, runs_.run(other)->opened));
}

void Workbench::cancel() {
    restoring_.reset();
    runs_.cancel();
}

void Workbench::runInput(std::size_t side, const session::InputChoice& input) {
    const Run& run = runs_.run(side);
    if (run->input == input && state().sides.at(side).input == input) {
        Q_EMIT inputComplaint({});
        return;
    }
    if (restoring_) return Q_EMIT inputComplaint(tr("A session is being opened: change the input then."));
    running_.at(side) = RunPurpose::Input;
    runs_.runInput(side, input);
}

void Workbench::takeOpened(std::size_t side) {
    switch (std::exchange(opening_.at(side), OpenPurpose::Nothing)) {
        case OpenPurpose::NewDocument: return takeNewDocument();
        case OpenPurpose::Restore: return takeRestored(side);
        case OpenPurpose::Compare: return takeComparison();
        case OpenPurpose::Replace: return takeReplaced(side);
        case OpenPurpose::Follow: return takeFollowed(side);
        case OpenPurpose::Nothing: return;
    }
}

void Workbench::takeRan(std::size_t side) {
    switch (std::exchange(running_.at(side), RunPurpose::Nothing)) {
        case RunPurpose::Input: return takeInput(side);
        case RunPurpose::Follow: return takeFollowed(side);
        case RunPurpose::Nothing: return;
    }
}

void Workbench::takeFollowed(std::size_t side) {
    fetched_.at(side).reset();
    runs_.adopt(side);
    follow();
    Q_EMIT inputComplaint({});
}

void Workbench::takeNewDocument() {
    runs_.adopt(0);
    runs_.give(1, nullptr);
    DocumentState document = freshDocument();
    for (PanelState& panel : document.panels) panel.selection = fitted(panel.selection, 0);
    document_.restart(std::move(document));
    Q_EMIT modelOpened();
    Q_EMIT inputComplaint({});
}

void Workbench::takeRestored(std::size_t side) {
    if (!restoring_) return;
    if (side + 1 < restoring_->sides.size()) {
        const session::Side& next = restoring_->sides.at(side + 1);
        return ask(side + 1, OpenPurpose::Restore,
                   {.source = next.source, .options = next.options, .input = next.input});
    }
    DocumentState document = *std::exchange(restoring_, std::nullopt);
    for (std::size_t index = 0; index < document.sides.size(); ++index) {
        runs_.adopt(index);
        document.sides[index] = runs_.shown(index);
    }
    if (!document.comparing()) runs_.give(1, nullptr);
    // The window has as many panels as it has.
    document.panels.resize(panels_.size(), document.panels.back());
    document.activePanel = std::min(document.activePanel, panels_.size() - 1);
    for (PanelState& panel : document.panels) panel.selection = fitted(panel.selection, panel.side);
    document_.restart(std::move(document));
    Q_EMIT modelOpened();
    Q_EMIT inputComplaint({});
}

void Workbench::takeComparison() {
    runs_.adopt(1);
    compareSides(state(), tr("Compare with %1").arg(QString::fromStdString(runs_.run(1)->info().name)));
}

// Two sides are compared through one mechanism, in one view: those of the active panel.
void Workbench::compareSides(DocumentState after, const QString& what) {
    after.sides.resize(1);
    after.sides.push_back(runs_.shown(1));
    const PanelState active = after.panels.at(after.activePanel);
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        after.panels[index] = active;
        after.panels[index].side = index == 0 ? 0 : 1;
    }
    fitPanelsOf(after, 1);
    if (after.linked) followLeader(after, 0);
    // The second side is the one to go on with.
    after.activePanel = after.panels.size() - 1;
    document_.change(what, std::move(after));
}

void Workbench::fitPanelsOf(DocumentState& document, std::size_t side) const {
    const widgets::ModelRun& run = *runs_.run(side);
    for (PanelState& panel : document.panels) {
        if (panel.side != side) continue;
        panel.selection = fitted(panel.selection, side);
        if (!widgets::canShow(panel.view, *run.own)) panel.view = widgets::usualView(*run.own);
        if (!run.canRunAgain()) panel.mechanism.insideModel = false;
        if (!session::tellsWords(*run.own)) panel.selection.words = false;
    }
}

void Workbench::takeReplaced(std::size_t side) {
    runs_.adopt(side);
    DocumentState after = state();
    if (side >= after.sides.size()) return;
    after.sides[side] = runs_.shown(side);
    fitPanelsOf(after, side);
    const auto leader = std::ranges::find_if(after.panels, [side](const auto& p) { return p.side != side; });
    if (after.linked && leader != after.panels.end())
        followLeader(after, static_cast<std::size_t>(leader - after.panels.begin()));
    const QString name = QString::fromStdString(runs_.run(side)->info().name);
    document_.change(tr("Change side to %1").arg(name), std::move(after));
    Q_EMIT inputComplaint({});
}

// The input becomes part of the document once it has run, so that a document can always be shown. The
// panels of the other side keep their query; those of this one follow it to its new place.
void Workbench::takeInput(std::size_t side) {
    runs_.adopt(side);
    DocumentState after = state();
    if (side >= after.sides.size()) return;
    const session::InputChoice& input = runs_.run(side)->input;
    const QString what = nameOfChange(after.sides[side].input, input);
    after.sides[side].input = input;
    for (PanelState& panel : after.panels) {
        if (panel.side == side) panel.selection = fitted(panel.selection, side);
    }
    const auto leader = std::ranges::find_if(
        after.panels, [side](const PanelState& panel) { return panel.side != side && !panel.withoutQuery; });
    if (after.linked && leader != after.panels.end())
        followLeader(after, static_cast<std::size_t>(leader - after.panels.begin()));
    document_.change(what, std::move(after));
    showPanels();
    Q_EMIT inputComplaint({});
    if (side == activeSide()) Q_EMIT ran();
}

void Workbench::failPanelsOf(std::size_t side, const QString& message) {
    fetched_.at(side).reset();
    for (std::size_t index = 0; index < panels_.size(); ++index) {
        if (state().panels.at(index).side == side) panels_[index]->fail(message);
    }
}

void Workbench::takeOpenFailure(std::size_t side, const QString& message) {
    const OpenPurpose purpose = std::exchange(opening_.at(side), OpenPurpose::Nothing);
    restoring_.reset();
    if (purpose == OpenPurpose::Restore) runs_.revert();
    if (purpose == OpenPurpose::Follow) failPanelsOf(side, message);
    Q_EMIT openFailed(QString::fromStdString(sources_.at(side).string()), message);
}

void Workbench::takeRunFailure(std::size_t side, const QString& message) {
    const RunPurpose purpose = std::exchange(running_.at(side), RunPurpose::Nothing);
    if (purpose == RunPurpose::Follow) failPanelsOf(side, message);
    if (side == activeSide() || purpose == RunPurpose::Follow) return Q_EMIT inputComplaint(message);
    Q_EMIT openFailed(QString::fromStdString(state().sides.at(side).source.string()), message);
}

void Workbench::takeCancel(std::size_t side) {
    const OpenPurpose opening = std::exchange(opening_.at(side), OpenPurpose::Nothing);
    const RunPurpose running = std::exchange(running_.at(side), RunPurpose::Nothing);
    if (opening == OpenPurpose::Restore) runs_.revert();
    if (opening == OpenPurpose::Follow || running == RunPurpose::Follow)
        failPanelsOf(side, tr("Cancelled: what this panel shows has not been run."));
    Q_EMIT cancelled();
}

void Workbench::follow() {
    showPanels();
    announceSubject();
    Q_EMIT stateChanged();
}

// After an undo a model must first be opened again, or read the old input; until then the panels say so.
bool Workbench::fetchSide(std::size_t side) {
    const session::Side& wanted = state().sides.at(side);
    if (runs_.shows(side, wanted)) return true;
    if (fetched_.at(side) == wanted) return false;
    fetched_.at(side) = wanted;
    sources_.at(side) = wanted.source;
    const bool runs = runs_.fetch(side, wanted) == SideRuns::Fetch::Running;
    if (runs) running_.at(side) = RunPurpose::Follow;
    else opening_.at(side) = OpenPurpose::Follow;
    return false;
}

// What was the second side may be the only one now, or the other way round.
void Workbench::arrangeRuns() {
    const auto& sides = state().sides;
    if (runs_.shows(0, sides.front())) return;
    const bool firstIsSecond = runs_.shows(1, sides.front());
    const bool secondIsFirst = state().comparing() && runs_.shows(0, sides[1]) && !runs_.shows(1, sides[1]);
    if (!firstIsSecond && !secondIsFirst) return;
    opening_.fill(OpenPurpose::Nothing);
    running_.fill(RunPurpose::Nothing);
    runs_.exchange();
}

void Workbench::showPanels() {
    if (runs_.run(0) == nullptr) return;
    arrangeRuns();
    std::array<bool, session::mostSides> there{};
    for (std::size_t side = 0; side < state().sides.size(); ++side) there.at(side) = fetchSide(side);
    const bool second = state().comparing() || opening_.at(1) != OpenPurpose::Nothing;
    if (!second && runs_.run(1) != nullptr) runs_.give(1, nullptr);
    for (std::size_t index = 0; index < panels_.size(); ++index) {
        const PanelState& panel = state().panels.at(index);
        if (!there.at(panel.side)) {
            panels_[index]->hold();
            continue;
        }
        panels_[index]->show(runs_.run(panel.side), panel,
                             widgets::panelContext(state(), runs_.all(), runs_.links(), index));
    }
}

namespace {

using Counterpart = std::function<std::optional<std::size_t>(std::size_t)>;

// The first of `tokens` that has a counterpart.
std::optional<std::size_t> acrossOf(widgets::TokenRange tokens, const Counterpart& across) {
    for (std::size_t token = tokens.first; token < tokens.past; ++token) {
        if (const auto found = across(token)) return found;
    }
    return std::nullopt;
}

}  // namespace

std::optional<widgets::PanelHit> Workbench::hitAcross(std::size_t from, std::size_t to,
                                                      const std::optional<widgets::PanelHit>& hit) const {
    const widgets::PanelPicture& source = panels_.at(from)->picture();
    const widgets::PanelPicture& target = panels_.at(to)->picture();
    const PanelState& there = source.state;
    const PanelState& here = target.state;
    const bool sameSide = there.side == here.side;
    if (!hit || (sameSide && !source.words && !target.words)) return hit;
    const session::SideLinks* links = runs_.links();
    // Pictures of a comparison that has just ended or not yet begun are of no links.
    const bool linked = links != nullptr && links->has(there) && links->has(here);
    if (!sameSide && !linked) return std::nullopt;
    const auto& site = there.selection.site;
    const auto& otherSite = here.selection.site;
    widgets::PanelHit across;
    if (hit->query) {
        const auto query = acrossOf(tokensOfQuery(source, hit->query->value), [&](std::size_t token) {
            const auto other = sameSide ? token : links->queryAcross(there.side, site, otherSite, token);
            return other ? widgets::queryOfToken(target, *other) : std::nullopt;
        });
        if (query) across.query = QueryIndex(*query);
    }
    if (hit->key) {
        const auto key = acrossOf(tokensOfKey(source, hit->key->value), [&](std::size_t token) {
            const auto other = sameSide ? token : links->keyAcross(there.side, site, otherSite, token);
            return other ? widgets::keyOfToken(target, *other) : std::nullopt;
        });
        if (!key) return std::nullopt;
        across.key = KeyIndex(*key);
    }
    return across.query || across.key ? std::optional(across) : std::nullopt;
}

// Runs of one model are of one subject.
void Workbench::announceSubject() {
    if (run() == nullptr) return;
    const widgets::OpenedModel& opened = run()->opened;
    const void* subject = opened.dump ? static_cast<const void*>(opened.dump.get()) : opened.model.get();
    if (std::exchange(subject_, subject) != subject) Q_EMIT subjectChanged();
}

}  // namespace fovea::app
