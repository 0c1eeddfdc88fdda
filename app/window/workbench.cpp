// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workbench.h"

#include <algorithm>

#include "core/session/query_choice.h"
#include "core/session/side_links.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::app {

using session::DocumentState;
using session::PanelState;
using session::Selection;

namespace {

// Panels beside each other are compared by colour only where they show the same kind of thing.
bool sharesScale(const widgets::PanelPicture& a, const widgets::PanelPicture& b) {
    const auto coloured = [](const widgets::PanelPicture& picture) { return picture.row || picture.matrix; };
    return coloured(a) && coloured(b) && a.state.view == b.state.view;
}

std::size_t stepped(std::size_t index, int step, std::size_t count) {
    if (count == 0) return 0;
    const auto wanted = static_cast<std::ptrdiff_t>(index) + step;
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(wanted, 0, static_cast<std::ptrdiff_t>(count) - 1));
}

}  // namespace

Workbench::Workbench(const widgets::ModelOpener& opener, QObject* parent) : QObject(parent), runs_(opener) {
    for (std::size_t index = 0; index < state().panels.size(); ++index) {
        const QChar letter = QChar(static_cast<char16_t>(u'A' + index));
        auto& panel = panels_.emplace_back(std::make_unique<widgets::PanelViewModel>(letter));
        connect(panel.get(), &widgets::PanelViewModel::evaluated, this, &Workbench::shareScale);
    }
    connect(&document_, &Document::changed, this, &Workbench::follow);
    connect(&runs_, &SideRuns::opened, this, &Workbench::takeOpened);
    connect(&runs_, &SideRuns::ran, this, &Workbench::takeRan);
    connect(&runs_, &SideRuns::openFailed, this, &Workbench::takeOpenFailure);
    connect(&runs_, &SideRuns::runFailed, this, &Workbench::takeRunFailure);
    connect(&runs_, &SideRuns::cancelled, this, &Workbench::takeCancel);
}

std::vector<widgets::PanelPicture> Workbench::pictures() const {
    std::vector<widgets::PanelPicture> pictures;
    for (const auto& panel : panels_) pictures.push_back(panel->picture());
    return pictures;
}

bool Workbench::settled() const {
    if (runs_.busy()) return false;
    return std::none_of(panels_.begin(), panels_.end(), [](const auto& panel) { return panel->behind(); });
}

bool Workbench::readsPictures() const {
    return run() != nullptr && run()->canRunAgain() && run()->info().readsPictures();
}

void Workbench::setText(std::size_t side, const session::TextInput& text) {
    if (runs_.run(side) == nullptr) return;
    runInput(side, {text, state().sides.at(side).input.picture});
}

void Workbench::setPicture(const std::filesystem::path& file) {
    if (!readsPictures()) return;
    session::InputChoice input = state().sides.at(activeSide()).input;
    session::PictureChoice picture = input.picture.value_or(session::PictureChoice{});
    picture.file = std::filesystem::absolute(file).lexically_normal();
    input.picture = std::move(picture);
    runInput(activeSide(), input);
}

void Workbench::setSizing(const image::Sizing& sizing) {
    session::InputChoice input = state().sides.at(activeSide()).input;
    if (!readsPictures() || !input.picture) return;
    input.picture->sizing = sizing;
    runInput(activeSide(), input);
}

// Mechanisms and views are kept, they are the user's tools, as far as they fit what was opened.
DocumentState Workbench::freshDocument() const {
    const bool untouched = state() == session::initialDocument();
    const widgets::ModelRun& run = *runs_.run(0);
    const Trace& trace = *run.own;
    DocumentState fresh = state();
    fresh.sides = {runs_.shown(0)};
    for (PanelState& panel : fresh.panels) {
        panel.side = 0;
        panel.unmatched.clear();
        panel.withoutQuery = false;
        const bool words = panel.selection.words && session::tellsWords(trace);
        panel.selection = {};
        panel.selection.words = words;
        panel.selection.site = session::defaultSite(trace);
        panel.selection.query = session::defaultQuery(trace, panel.selection.site);
        if (untouched || !widgets::canShow(panel.view, trace)) panel.view = widgets::usualView(trace);
        if (!run.canRunAgain()) panel.mechanism.insideModel = false;
    }
    // What a picture is opened for: heat beside the ellipse.
    if (untouched && trace.grid) {
        session::MechanismChoice ellipse;
        ellipse.domain = session::Domain::Continuous;
        fresh.panels.back().mechanism = ellipse;
    }
    return fresh;
}

void Workbench::shareScale() {
    for (const auto& panel : panels_) {
        double top = panel->ownLargest();
        for (const auto& other : panels_) {
            if (!state().linked || !sharesScale(panel->picture(), other->picture())) continue;
            top = std::max(top, other->ownLargest());
        }
        panel->setScaleTop(top);
    }
}

void Workbench::activate(std::size_t panel) {
    DocumentState after = state();
    after.activePanel = std::min(panel, panels_.size() - 1);
    document_.change(tr("Activate panel"), std::move(after), QStringLiteral("activate"));
}

Selection Workbench::fitted(const Selection& selection, std::size_t side) const {
    return runs_.run(side) == nullptr ? selection
                                      : session::fittedSelection(selection, *runs_.run(side)->own);
}

void Workbench::followLeader(DocumentState& document, std::size_t leader) const {
    session::followLeader(document, leader, runs_.traces(), runs_.links());
}

void Workbench::changePanel(const QString& what, std::size_t active, PanelState panel,
                            const QString& gesture) {
    DocumentState after = state();
    after.activePanel = active;
    panel.selection = fitted(panel.selection, panel.side);
    after.panels.at(active) = std::move(panel);
    if (after.linked) followLeader(after, active);
    document_.change(what, std::move(after), gesture);
}

// Another head, another pooling: a panel without a query stays without one.
void Workbench::changeSelection(const QString& what, std::size_t active, const Selection& selection,
                                const QString& gesture) {
    PanelState panel = state().panels.at(active);
    panel.selection = selection;
    changePanel(what, active, std::move(panel), gesture);
}

void Workbench::changeQuery(const QString& what, std::size_t active, const Selection& selection,
                            const QString& gesture) {
    PanelState panel = state().panels.at(active);
    panel.selection = selection;
    panel.unmatched.clear();
    panel.withoutQuery = false;
    changePanel(what, active, std::move(panel), gesture);
}

void Workbench::pickQuery(std::size_t panel, QueryIndex query) {
    Selection selection = state().panels.at(panel).selection;
    selection.query = query;
    selection.more.clear();
    changeQuery(tr("Pick query"), panel, selection);
}

void Workbench::toggleQuery(std::size_t panel, QueryIndex query) {
    const PanelState& before = state().panels.at(panel);
    if (before.withoutQuery) return pickQuery(panel, query);
    const Run& run = runs_.run(before.side);
    if (run == nullptr || before.selection.site.value >= run->own->records.size()) return;
    changeQuery(tr("Pick queries"), panel, session::toggled(*run->own, before.selection, query));
}

void Workbench::setPooling(session::QueryPooling pooling) {
    Selection selection = state().panels.at(activePanel()).selection;
    selection.pooling = pooling;
    changeSelection(tr("Pool queries"), activePanel(), selection);
}

void Workbench::pickHead(SiteIndex site, HeadIndex head) {
    if (run() == nullptr || site.value >= run()->own->records.size()) return;
    const Selection& before = state().panels.at(activePanel()).selection;
    Selection selection = session::movedTo(*run()->own, before, site);
    selection.head = head;
    changeSelection(tr("Pick head"), activePanel(), selection, QStringLiteral("head"));
}

void Workbench::stepQuery(int step) {
    if (run() == nullptr) return;
    const Selection& before = state().panels.at(activePanel()).selection;
    changeQuery(tr("Move query"), activePanel(), session::stepped(*run()->own, before, step),
                QStringLiteral("query step"));
}

void Workbench::stepHead(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    const Site& site = run()->own->records.at(selection.site.value).site;
    selection.head = HeadIndex(stepped(selection.head.value, step, site.heads));
    changeSelection(tr("Move head"), activePanel(), selection, QStringLiteral("head step"));
}

void Workbench::stepLayer(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    const SiteIndex site(stepped(selection.site.value, step, run()->own->records.size()));
    selection = session::movedTo(*run()->own, std::move(selection), site);
    changeSelection(tr("Move layer"), activePanel(), selection, QStringLiteral("layer step"));
}

void Workbench::stepWritten(int step) {
    if (run() == nullptr) return;
    const Selection& selection = state().panels.at(activePanel()).selection;
    const auto moved = session::steppedWritten(*run()->own, selection, step);
    if (moved)
        changeQuery(tr("Step through what was written"), activePanel(), *moved,
                        QStringLiteral("written step"));
}

void Workbench::setMechanism(const session::MechanismChoice& mechanism, const QString& what, int gesture) {
    DocumentState after = state();
    after.panels.at(activePanel()).mechanism = mechanism;
    const QString key =
        gesture < 0 ? QString() : QStringLiteral("%1 %2 %3").arg(what).arg(gesture).arg(activePanel());
    document_.change(what, std::move(after), key);
}

void Workbench::setView(session::View view) {
    DocumentState after = state();
    after.panels.at(activePanel()).view = view;
    document_.change(tr("Change view"), std::move(after));
}

template <class Change>
void Workbench::changePanels(const QString& what, Change&& change) {
    DocumentState after = state();
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        if (after.linked || index == after.activePanel) change(after.panels[index]);
    }
    document_.change(what, std::move(after));
}

void Workbench::setWords(bool words) {
    changePanels(words ? tr("Group tokens into words") : tr("Show tokens"),
                 [words](PanelState& panel) { panel.selection.words = words; });
}

bool Workbench::tellsWords() const { return run() != nullptr && session::tellsWords(*run()->own); }

Selection Workbench::shownSelection(std::size_t index) const {
    const PanelState& panel = state().panels.at(index);
    const Run& run = runs_.run(panel.side);
    const bool words = panel.selection.words && run != nullptr &&
                       panel.selection.site.value < run->own->records.size();
    if (!words) return panel.selection;
    return session::inGroups(panel.selection, session::wordAxes(*run->own, panel.selection.site).queries);
}

void Workbench::setColourScale(session::ColourScale scale) {
    changePanels(tr("Change colour scale"), [scale](PanelState& panel) { panel.scale = scale; });
}

void Workbench::setPieces(bool pieces) {
    DocumentState after = state();
    for (PanelState& panel : after.panels) panel.pieces = pieces;
    document_.change(pieces ? tr("Show raw pieces") : tr("Show source text"), std::move(after));
}

void Workbench::setLook(const session::PictureLook& look) {
    changePanels(tr("Change look of the picture"), [look](PanelState& panel) { panel.look = look; });
}

void Workbench::setLinked(bool linked) {
    DocumentState after = state();
    after.linked = linked;
    if (linked) {
        const PanelState& active = state().panels.at(activePanel());
        for (PanelState& panel : after.panels) {
            panel.scale = active.scale;
            panel.look = active.look;
            panel.selection.words = active.selection.words;
        }
        followLeader(after, activePanel());
    }
    document_.change(linked ? tr("Link panels") : tr("Unlink panels"), std::move(after));
    shareScale();
}

void Workbench::swapPanels() {
    DocumentState after = state();
    std::swap(after.panels.at(0), after.panels.at(1));
    document_.change(tr("Swap panels"), std::move(after));
}

}  // namespace fovea::app
