// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workbench.h"

#include <algorithm>

#include "core/session/query_choice.h"

namespace fovea::app {

using session::DocumentState;
using session::PanelState;
using session::Selection;

namespace {

// Panels beside each other are compared by colour only where they show the same kind of thing.
bool sharesScale(const widgets::PanelPicture& a, const widgets::PanelPicture& b) {
    return a.row && b.row && a.state.view == b.state.view;
}

std::size_t stepped(std::size_t index, int step, std::size_t count) {
    if (count == 0) return 0;
    const auto wanted = static_cast<std::ptrdiff_t>(index) + step;
    return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(wanted, 0, static_cast<std::ptrdiff_t>(count) - 1));
}

}  // namespace

Workbench::Workbench(widgets::ModelOpener opener, QObject* parent) : QObject(parent), session_(std::move(opener)) {
    for (std::size_t index = 0; index < state().panels.size(); ++index) {
        const QChar letter = QChar(static_cast<char16_t>(u'A' + index));
        auto& panel = panels_.emplace_back(std::make_unique<widgets::PanelViewModel>(letter));
        connect(panel.get(), &widgets::PanelViewModel::evaluated, this, &Workbench::shareScale);
    }
    connect(&document_, &Document::changed, this, &Workbench::follow);
    connect(&session_, &widgets::ModelSession::opened, this, &Workbench::takeOpened);
    connect(&session_, &widgets::ModelSession::ran, this, &Workbench::takeRan);
    connect(&session_, &widgets::ModelSession::openFailed, this, &Workbench::openFailed);
    connect(&session_, &widgets::ModelSession::runFailed, this, &Workbench::textComplaint);
}

std::vector<widgets::PanelPicture> Workbench::pictures() const {
    std::vector<widgets::PanelPicture> pictures;
    for (const auto& panel : panels_) pictures.push_back(panel->picture());
    return pictures;
}

bool Workbench::settled() const {
    if (session_.busy()) return false;
    return std::none_of(panels_.begin(), panels_.end(), [](const auto& panel) { return panel->behind(); });
}

void Workbench::open(const std::filesystem::path& path) { session_.open(widgets::modelFolderOf(path)); }

void Workbench::setText(const session::TextInput& text) {
    if (run() == nullptr) return;
    if (run()->text == text && state().input == text) {
        Q_EMIT textComplaint({});
        return;
    }
    session_.runText(text);
}

// A model that was opened starts a new document; mechanisms and views are kept, they are the user's tools.
void Workbench::takeOpened() {
    DocumentState fresh = state();
    fresh.modelFolder = run()->info().folder;
    fresh.input = run()->text;
    for (PanelState& panel : fresh.panels) panel.selection = {SiteIndex(0), HeadIndex(0), session::defaultQuery(*run()->own)};
    document_.restart(std::move(fresh));
    Q_EMIT modelOpened();
    Q_EMIT textComplaint({});
}

// The text becomes part of the document once it has run, so that a document can always be shown.
void Workbench::takeRan() {
    DocumentState after = state();
    after.input = run()->text;
    for (PanelState& panel : after.panels) panel.selection = fitted(panel.selection);
    document_.change(tr("Change text"), std::move(after));
    showPanels();
    Q_EMIT textComplaint({});
}

void Workbench::follow(const DocumentState&, const DocumentState&) {
    showPanels();
    Q_EMIT stateChanged();
}

// After an undo the model must first read the old text again; until then the panels say so.
void Workbench::showPanels() {
    if (run() == nullptr) return;
    if (run()->text != state().input) {
        for (const auto& panel : panels_) panel->hold();
        session_.runText(state().input);
        return;
    }
    for (std::size_t index = 0; index < panels_.size(); ++index) panels_[index]->show(run(), state().panels[index]);
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

Selection Workbench::fitted(Selection selection) const {
    if (run() == nullptr || run()->own->records.empty()) return selection;
    const auto& records = run()->own->records;
    selection.site = SiteIndex(std::min(selection.site.value, records.size() - 1));
    const ScoreSource& scores = *records[selection.site.value].scores;
    selection.head = HeadIndex(std::min(selection.head.value, scores.heads() - 1));
    selection.query = QueryIndex(std::min(selection.query.value, scores.queries() - 1));
    return selection;
}

void Workbench::changeSelection(const QString& what, const Selection& selection, const QString& gesture) {
    DocumentState after = state();
    const Selection fits = fitted(selection);
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        if (after.linked || index == after.activePanel) after.panels[index].selection = fits;
    }
    document_.change(what, std::move(after), gesture);
}

void Workbench::pickQuery(std::size_t panel, QueryIndex query) {
    DocumentState after = state();
    after.activePanel = panel;
    Selection selection = after.panels.at(panel).selection;
    selection.query = query;
    const Selection fits = fitted(selection);
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        if (after.linked || index == panel) after.panels[index].selection = fits;
    }
    document_.change(tr("Pick query"), std::move(after));
}

void Workbench::pickHead(SiteIndex site, HeadIndex head) {
    Selection selection = state().panels.at(activePanel()).selection;
    selection.site = site;
    selection.head = head;
    changeSelection(tr("Pick head"), selection, QStringLiteral("head"));
}

void Workbench::stepQuery(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    selection.query = QueryIndex(stepped(selection.query.value, step, run()->own->tokens.size()));
    changeSelection(tr("Move query"), selection, QStringLiteral("query step"));
}

void Workbench::stepHead(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    const Site& site = run()->own->records.at(selection.site.value).site;
    selection.head = HeadIndex(stepped(selection.head.value, step, site.heads));
    changeSelection(tr("Move head"), selection, QStringLiteral("head step"));
}

void Workbench::stepLayer(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    selection.site = SiteIndex(stepped(selection.site.value, step, run()->own->records.size()));
    changeSelection(tr("Move layer"), selection, QStringLiteral("layer step"));
}

void Workbench::setMechanism(const session::MechanismChoice& mechanism, const QString& what, int gesture) {
    DocumentState after = state();
    after.panels.at(activePanel()).mechanism = mechanism;
    const QString key = gesture < 0 ? QString() : QStringLiteral("%1 %2 %3").arg(what).arg(gesture).arg(activePanel());
    document_.change(what, std::move(after), key);
}

void Workbench::setView(session::View view) {
    DocumentState after = state();
    after.panels.at(activePanel()).view = view;
    document_.change(tr("Change view"), std::move(after));
}

void Workbench::setColourScale(session::ColourScale scale) {
    DocumentState after = state();
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        if (after.linked || index == after.activePanel) after.panels[index].scale = scale;
    }
    document_.change(tr("Change colour scale"), std::move(after));
}

void Workbench::setLinked(bool linked) {
    DocumentState after = state();
    after.linked = linked;
    if (linked) {
        const PanelState& active = state().panels.at(activePanel());
        for (PanelState& panel : after.panels) {
            panel.selection = active.selection;
            panel.scale = active.scale;
        }
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
