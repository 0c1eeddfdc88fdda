// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "app/window/document.h"
#include "app/window/side_runs.h"
#include "widgets/painters/panel_painter.h"
#include "widgets/view_models/panel_view_model.h"

namespace fovea::app {

/// What the window is about, without the window: the document, the models and the panels' pictures, and
/// the user's intents as calls. Every intent is one step of the document; failures leave what there was.
/// Of a comparison the active panel's side is what inputs and read-outs speak of.
class Workbench final : public QObject {
    Q_OBJECT

public:
    using Run = SideRuns::Run;

    explicit Workbench(const widgets::ModelOpener& opener = widgets::openSource, QObject* parent = nullptr);

    Document& document() { return document_; }
    const session::DocumentState& state() const { return document_.state(); }
    SideRuns& runs() { return runs_; }
    /// The run of the active panel's side; null until something is open.
    const Run& run() const { return runs_.run(activeSide()); }
    const Run& runOf(std::size_t side) const { return runs_.run(side); }
    widgets::PanelViewModel& panel(std::size_t index) { return *panels_.at(index); }
    std::size_t panelCount() const { return panels_.size(); }
    std::size_t activePanel() const { return state().activePanel; }
    std::size_t activeSide() const { return state().activeSide(); }
    widgets::PanelViewModel& activePanelModel() { return panel(activePanel()); }
    /// Pictures of the panels as they are on show.
    std::vector<widgets::PanelPicture> pictures() const;
    /// True when every picture is that of the document's state.
    bool settled() const;
    bool busy() const { return runs_.busy(); }

    /// What models of pictures are opened with when their folders hold none.
    void setSamplePicture(const std::filesystem::path& file);
    /// Opens a model folder (or that of a file inside one) or a dump, and starts a new document on it; on
    /// `picture` where one is given.
    void open(const std::filesystem::path& path, const LoadOptions& options = {},
              std::optional<session::PictureChoice> picture = {});
    /// Opens what `document` speaks of and makes it the document.
    void restore(const session::DocumentState& document);
    /// Reads the active side's input with another model, beside it or in place of the second side.
    void compareWith(const std::filesystem::path& path, const LoadOptions& options = {});
    /// Gives the active side's model a text of its own beside it, at first the same.
    void compareTexts();
    /// Another model for one side of a comparison.
    void replaceSide(std::size_t side, const std::filesystem::path& path, const LoadOptions& options = {});
    /// The side of the first panel stays, alone.
    void stopComparing();
    /// Panels keep their mechanisms and views and exchange what they look at.
    void swapSides();
    /// Gives the other side the active side's input.
    void shareInput();
    void cancel();

    void setText(const session::TextInput& text) { setText(activeSide(), text); }
    void setText(std::size_t side, const session::TextInput& text);
    void setPicture(const std::filesystem::path& file);
    /// The size that the picture is run at; needs one.
    void setSizing(const image::Sizing& sizing);
    /// True when the active side's model takes a picture.
    bool readsPictures() const;

    /// What lies under the pointer in panel `from` as linked panel `to` has it: by token where they are of
    /// different sides. What has no counterpart is nothing there.
    std::optional<widgets::PanelHit> hitAcross(std::size_t from, std::size_t to,
                                               const std::optional<widgets::PanelHit>& hit) const;

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
    /// Moves the query along the positions at which the model chose what it wrote.
    void stepWritten(int step);
    void setMechanism(const session::MechanismChoice& mechanism, const QString& what, int gesture);
    void setView(session::View view);
    /// Reads the panels that follow the active one by words or by tokens; queries stay the same tokens.
    void setWords(bool words);
    /// True when the active side's text tells its words.
    bool tellsWords() const;
    /// What a panel asks about as it shows it: by words where it shows words.
    session::Selection shownSelection(std::size_t panel) const;
    void setColourScale(session::ColourScale scale);
    /// Labels of all panels by the pieces of the vocabulary, or by source text.
    void setPieces(bool pieces);
    void setLook(const session::PictureLook& look);
    void setLinked(bool linked);
    void swapPanels();

Q_SIGNALS:
    /// A new document is there.
    void modelOpened();
    /// The active side's model is another one, or another side is active.
    void subjectChanged();
    /// A source could not be opened; what there was is kept.
    void openFailed(const QString& source, const QString& message);
    /// The input cannot be run; empty when the last one could.
    void inputComplaint(const QString& message);
    void stateChanged();
    /// A run of the active side is on show.
    void ran();
    void cancelled();

private:
    /// Why a side's worker opens a source, and why it runs an input.
    enum class OpenPurpose { Nothing, NewDocument, Restore, Compare, Replace, Follow };
    enum class RunPurpose { Nothing, Input, Follow };

    void takeOpened(std::size_t side);
    void takeRan(std::size_t side);
    void takeFollowed(std::size_t side);
    void takeNewDocument();
    void takeRestored(std::size_t side);
    void takeComparison();
    void takeReplaced(std::size_t side);
    void takeInput(std::size_t side);
    void takeOpenFailure(std::size_t side, const QString& message);
    void takeRunFailure(std::size_t side, const QString& message);
    void takeCancel(std::size_t side);
    void ask(std::size_t side, OpenPurpose purpose, widgets::ModelSession::Opening opening);
    void forgetWishes();
    session::DocumentState freshDocument() const;
    void runInput(std::size_t side, const session::InputChoice& input);
    void follow();
    /// Panels of sides that show what the document says; the others wait for it.
    void showPanels();
    bool fetchSide(std::size_t side);
    void arrangeRuns();
    void failPanelsOf(std::size_t side, const QString& message);
    void shareScale();
    void announceSubject();

    void compareSides(session::DocumentState after, const QString& what);
    void fitPanelsOf(session::DocumentState& document, std::size_t side) const;
    void changePanel(const QString& what, std::size_t active, session::PanelState panel,
                     const QString& gesture);
    void changeSelection(const QString& what, std::size_t panel, const session::Selection& selection,
                         const QString& gesture = {});
    /// The same where something is asked about, which a panel without a query then has again.
    void changeQuery(const QString& what, std::size_t panel, const session::Selection& selection,
                     const QString& gesture = {});
    /// Panels that are linked with `leader` look where it looks, as far as their sides have it.
    void followLeader(session::DocumentState& document, std::size_t leader) const;
    /// Changes the panels that follow the active one: all of them where they are linked.
    template <class Change>
    void changePanels(const QString& what, Change&& change);
    session::Selection fitted(const session::Selection& selection, std::size_t side) const;

    Document document_;
    SideRuns runs_;
    std::vector<std::unique_ptr<widgets::PanelViewModel>> panels_;
    std::array<OpenPurpose, session::mostSides> opening_{};
    std::array<RunPurpose, session::mostSides> running_{};
    std::array<std::filesystem::path, session::mostSides> sources_;  // that are being opened, for messages
    std::array<std::optional<session::Side>, session::mostSides> fetched_;  // on its way for an undo
    std::optional<session::DocumentState> restoring_;  // becomes the document once its sources are open
    const void* subject_ = nullptr;  // the active side's model, to tell models apart, never followed
};

}  // namespace fovea::app
