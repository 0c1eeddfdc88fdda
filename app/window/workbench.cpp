// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workbench.h"

#include <algorithm>

#include "core/session/query_choice.h"
#include "widgets/view_models/panel_evaluation.h"

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
    return static_cast<std::size_t>(
        std::clamp<std::ptrdiff_t>(wanted, 0, static_cast<std::ptrdiff_t>(count) - 1));
}

}  // namespace

Workbench::Workbench(widgets::ModelOpener opener, QObject* parent)
    : QObject(parent), session_(std::move(opener)) {
    for (std::size_t index = 0; index < state().panels.size(); ++index) {
        const QChar letter = QChar(static_cast<char16_t>(u'A' + index));
        auto& panel = panels_.emplace_back(std::make_unique<widgets::PanelViewModel>(letter));
        connect(panel.get(), &widgets::PanelViewModel::evaluated, this, &Workbench::shareScale);
    }
    connect(&document_, &Document::changed, this, &Workbench::follow);
    connect(&session_, &widgets::ModelSession::opened, this, &Workbench::takeOpened);
    connect(&session_, &widgets::ModelSession::ran, this, &Workbench::takeRan);
    connect(&session_, &widgets::ModelSession::openFailed, this, &Workbench::takeOpenFailure);
    connect(&session_, &widgets::ModelSession::runFailed, this, &Workbench::inputComplaint);
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

void Workbench::open(const std::filesystem::path& path, std::optional<session::PictureChoice> picture) {
    restoring_.reset();
    std::optional<session::InputChoice> input;
    if (picture) input = session::InputChoice{{}, std::move(picture)};
    session_.open(widgets::sourceOf(path), std::move(input));
}

void Workbench::restore(const DocumentState& document) {
    restoring_ = document;
    session_.open(document.source, document.input);
}

void Workbench::cancel() {
    restoring_.reset();
    session_.cancel();
}

bool Workbench::readsPictures() const {
    return run() != nullptr && run()->canRunAgain() && run()->info().readsPictures();
}

void Workbench::setText(const session::TextInput& text) {
    if (run() == nullptr) return;
    runInput({text, state().input.picture});
}

void Workbench::setPicture(const std::filesystem::path& file) {
    if (!readsPictures()) return;
    session::PictureChoice picture = state().input.picture.value_or(session::PictureChoice{});
    picture.file = std::filesystem::absolute(file).lexically_normal();
    runInput({state().input.text, std::move(picture)});
}

void Workbench::setSizing(const image::Sizing& sizing) {
    if (!readsPictures() || !state().input.picture) return;
    session::InputChoice input = state().input;
    input.picture->sizing = sizing;
    runInput(input);
}

void Workbench::runInput(const session::InputChoice& input) {
    if (run()->input == input && state().input == input) {
        Q_EMIT inputComplaint({});
        return;
    }
    session_.runInput(input);
}

// Mechanisms and views are kept, they are the user's tools, as far as they fit what was opened.
DocumentState Workbench::freshDocument() const {
    const bool untouched = state() == session::initialDocument();
    const Trace& trace = *run()->own;
    DocumentState fresh = state();
    fresh.source = run()->info().folder;
    fresh.input = run()->input;
    for (PanelState& panel : fresh.panels) {
        panel.selection = {};
        panel.selection.query = session::defaultQuery(trace);
        if (untouched || !widgets::canShow(panel.view, trace)) panel.view = widgets::usualView(trace);
        if (!run()->canRunAgain()) panel.mechanism.insideModel = false;
    }
    // What a picture is opened for: heat beside the ellipse.
    if (untouched && trace.grid) {
        session::MechanismChoice ellipse;
        ellipse.domain = session::Domain::Continuous;
        fresh.panels.back().mechanism = ellipse;
    }
    return fresh;
}

void Workbench::takeOpened() {
    DocumentState document = restoring_ ? *restoring_ : freshDocument();
    restoring_.reset();
    document.input = run()->input;
    for (PanelState& panel : document.panels) panel.selection = fitted(panel.selection);
    document_.restart(std::move(document));
    Q_EMIT modelOpened();
    Q_EMIT inputComplaint({});
}

void Workbench::takeOpenFailure(const QString& message) {
    restoring_.reset();
    Q_EMIT openFailed(message);
}

// The input becomes part of the document once it has run, so that a document can always be shown.
void Workbench::takeRan() {
    DocumentState after = state();
    const bool newPicture = after.input.picture != run()->input.picture;
    after.input = run()->input;
    for (PanelState& panel : after.panels) panel.selection = fitted(panel.selection);
    document_.change(newPicture ? tr("Change picture") : tr("Change text"), std::move(after));
    showPanels();
    Q_EMIT inputComplaint({});
}

void Workbench::follow(const DocumentState&, const DocumentState&) {
    showPanels();
    Q_EMIT stateChanged();
}

// After an undo the model must first read the old input again; until then the panels say so.
void Workbench::showPanels() {
    if (run() == nullptr) return;
    if (run()->input != state().input) {
        for (const auto& panel : panels_) panel->hold();
        session_.runInput(state().input);
        return;
    }
    for (std::size_t index = 0; index < panels_.size(); ++index)
        panels_[index]->show(run(), state().panels[index]);
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
    std::erase_if(selection.more, [&](QueryIndex query) {
        return query.value >= scores.queries() || query == selection.query;
    });
    return selection;
}

void Workbench::changeSelection(const QString& what, std::size_t active, const Selection& selection,
                                const QString& gesture) {
    DocumentState after = state();
    after.activePanel = active;
    const Selection fits = fitted(selection);
    for (std::size_t index = 0; index < after.panels.size(); ++index) {
        if (after.linked || index == active) after.panels[index].selection = fits;
    }
    document_.change(what, std::move(after), gesture);
}

void Workbench::pickQuery(std::size_t panel, QueryIndex query) {
    Selection selection = state().panels.at(panel).selection;
    selection.query = query;
    selection.more.clear();
    changeSelection(tr("Pick query"), panel, selection);
}

void Workbench::toggleQuery(std::size_t panel, QueryIndex query) {
    Selection selection = state().panels.at(panel).selection;
    auto& more = selection.more;
    if (query == selection.query) {
        if (more.empty()) return;
        selection.query = more.front();
        more.erase(more.begin());
    } else if (const auto there = std::find(more.begin(), more.end(), query); there != more.end()) {
        more.erase(there);
    } else {
        more.insert(std::upper_bound(more.begin(), more.end(), query), query);
    }
    changeSelection(tr("Pick queries"), panel, selection);
}

void Workbench::setPooling(session::QueryPooling pooling) {
    Selection selection = state().panels.at(activePanel()).selection;
    selection.pooling = pooling;
    changeSelection(tr("Pool queries"), activePanel(), selection);
}

void Workbench::pickHead(SiteIndex site, HeadIndex head) {
    Selection selection = state().panels.at(activePanel()).selection;
    selection.site = site;
    selection.head = head;
    changeSelection(tr("Pick head"), activePanel(), selection, QStringLiteral("head"));
}

void Workbench::stepQuery(int step) {
    if (run() == nullptr) return;
    Selection selection = state().panels.at(activePanel()).selection;
    const std::size_t queries = run()->own->records.at(selection.site.value).scores->queries();
    selection.query = QueryIndex(stepped(selection.query.value, step, queries));
    selection.more.clear();
    changeSelection(tr("Move query"), activePanel(), selection, QStringLiteral("query step"));
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
    selection.site = SiteIndex(stepped(selection.site.value, step, run()->own->records.size()));
    changeSelection(tr("Move layer"), activePanel(), selection, QStringLiteral("layer step"));
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

void Workbench::setColourScale(session::ColourScale scale) {
    changePanels(tr("Change colour scale"), [scale](PanelState& panel) { panel.scale = scale; });
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
            panel.selection = active.selection;
            panel.scale = active.scale;
            panel.look = active.look;
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
