// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <vector>

#include "app/window/document.h"
#include "widgets/view_models/model_session.h"
#include "widgets/view_models/panel_view_model.h"

namespace fovea::app {

/// What the window is about, without the window: the document, the model and the panels' pictures, and
/// the user's intents as calls. Every intent is one step of the document; failures leave what there was.
class Workbench final : public QObject {
    Q_OBJECT

public:
    explicit Workbench(widgets::ModelOpener opener = widgets::openModelFolder, QObject* parent = nullptr);

    Document& document() { return document_; }
    const session::DocumentState& state() const { return document_.state(); }
    widgets::ModelSession& session() { return session_; }
    const widgets::ModelSession::Run& run() const { return session_.run(); }
    widgets::PanelViewModel& panel(std::size_t index) { return *panels_.at(index); }
    std::size_t panelCount() const { return panels_.size(); }
    std::size_t activePanel() const { return state().activePanel; }
    widgets::PanelViewModel& activePanelModel() { return panel(activePanel()); }
    /// Pictures of the panels as they are on show.
    std::vector<widgets::PanelPicture> pictures() const;
    /// True when every picture is that of the document's state.
    bool settled() const;

    /// Opens a folder, or the folder of a file inside one.
    void open(const std::filesystem::path& path);
    void setText(const session::TextInput& text);
    void cancel() { session_.cancel(); }

    void activate(std::size_t panel);
    void pickQuery(std::size_t panel, QueryIndex query);
    void pickHead(SiteIndex site, HeadIndex head);
    /// Steps of the active panel's selection; they stop at the ends.
    void stepQuery(int step);
    void stepHead(int step);
    void stepLayer(int step);
    void setMechanism(const session::MechanismChoice& mechanism, const QString& what, int gesture);
    void setView(session::View view);
    void setColourScale(session::ColourScale scale);
    void setLinked(bool linked);
    void swapPanels();

Q_SIGNALS:
    void modelOpened();
    /// A folder could not be opened; what there was is kept.
    void openFailed(const QString& message);
    /// The text of the input field cannot be run; empty when the last one could.
    void textComplaint(const QString& message);
    void stateChanged();

private:
    void takeOpened();
    void takeRan();
    void follow(const session::DocumentState& before, const session::DocumentState& after);
    void showPanels();
    void shareScale();
    void changeSelection(const QString& what, const session::Selection& selection, const QString& gesture);
    session::Selection fitted(session::Selection selection) const;

    Document document_;
    widgets::ModelSession session_;
    std::vector<std::unique_ptr<widgets::PanelViewModel>> panels_;
};

}  // namespace fovea::app
