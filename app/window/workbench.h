// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <filesystem>
#include <memory>
#include <optional>
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
    explicit Workbench(widgets::ModelOpener opener = widgets::openSource, QObject* parent = nullptr);

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

    /// Opens a model folder (or that of a file inside one) or a dump, and starts a new document on it; on
    /// `picture` where one is given.
    void open(const std::filesystem::path& path, std::optional<session::PictureChoice> picture = {});
    /// Opens what `document` speaks of and makes it the document.
    void restore(const session::DocumentState& document);
    void setText(const session::TextInput& text);
    void setPicture(const std::filesystem::path& file);
    /// The size that the picture is run at; needs one.
    void setSizing(const image::Sizing& sizing);
    void cancel();
    /// True when the open model takes a picture.
    bool readsPictures() const;

    void activate(std::size_t panel);
    void pickQuery(std::size_t panel, QueryIndex query);
    /// Adds a query to those that are shown together, or takes it out; one always stays.
    void toggleQuery(std::size_t panel, QueryIndex query);
    void setPooling(session::QueryPooling pooling);
    void pickHead(SiteIndex site, HeadIndex head);
    /// Steps of the active panel's selection; they stop at the ends.
    void stepQuery(int step);
    void stepHead(int step);
    void stepLayer(int step);
    void setMechanism(const session::MechanismChoice& mechanism, const QString& what, int gesture);
    void setView(session::View view);
    void setColourScale(session::ColourScale scale);
    void setLook(const session::PictureLook& look);
    void setLinked(bool linked);
    void swapPanels();

Q_SIGNALS:
    void modelOpened();
    /// A source could not be opened; what there was is kept.
    void openFailed(const QString& message);
    /// The input cannot be run; empty when the last one could.
    void inputComplaint(const QString& message);
    void stateChanged();

private:
    void takeOpened();
    void takeOpenFailure(const QString& message);
    session::DocumentState freshDocument() const;
    void runInput(const session::InputChoice& input);
    void takeRan();
    void follow(const session::DocumentState& before, const session::DocumentState& after);
    void showPanels();
    void shareScale();
    void changeSelection(const QString& what, std::size_t panel, const session::Selection& selection,
                         const QString& gesture = {});
    /// Changes the panels that follow the active one: all of them where they are linked.
    template <class Change>
    void changePanels(const QString& what, Change&& change);
    session::Selection fitted(session::Selection selection) const;

    Document document_;
    widgets::ModelSession session_;
    std::vector<std::unique_ptr<widgets::PanelViewModel>> panels_;
    std::optional<session::DocumentState> restoring_;  // becomes the document once its source is open
};

}  // namespace fovea::app
