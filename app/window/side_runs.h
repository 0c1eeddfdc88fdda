// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <array>
#include <memory>
#include <optional>

#include "core/session/document_state.h"
#include "core/session/side_links.h"
#include "widgets/view_models/model_session.h"

namespace fovea::app {

/// The runs behind the sides of a document, each with a worker of its own. What arrives is shown by a
/// side only once it is adopted, so that an opening that fails half-way leaves what there was. A source
/// that one side has open already is shared with the other, not opened again.
class SideRuns final : public QObject {
    Q_OBJECT

public:
    using Run = widgets::ModelSession::Run;

    explicit SideRuns(const widgets::ModelOpener& opener, QObject* parent = nullptr);

    /// What a side shows; null until something was adopted.
    const Run& run(std::size_t side) const { return runs_.at(side); }
    const std::array<Run, session::mostSides>& all() const { return runs_; }
    /// The models' own traces, by side.
    std::array<std::shared_ptr<const Trace>, session::mostSides> traces() const;
    /// What a side shows, as a document says it. Needs a run.
    session::Side shown(std::size_t side) const;
    /// True when a side shows the source, options and input of `wanted`.
    bool shows(std::size_t side, const session::Side& wanted) const;
    /// What belongs together of the two runs; null unless both sides show one.
    const session::SideLinks* links() const { return links_.get(); }

    enum class Sharing { Allowed, Never };
    /// Ends with `opened`, `openFailed` or `cancelled`.
    void open(std::size_t side, widgets::ModelSession::Opening opening, Sharing sharing);
    /// Runs an input through the model that a side shows; ends with `ran`, `runFailed` or `cancelled`.
    void runInput(std::size_t side, const session::InputChoice& input);
    enum class Fetch { Opening, Running };
    /// Opens what is missing of `wanted`, or only runs its input.
    Fetch fetch(std::size_t side, const session::Side& wanted);

    /// Makes what arrived last at `side` what it shows.
    void adopt(std::size_t side);
    /// Makes `run` what `side` shows; null: nothing, and its memory is free.
    void give(std::size_t side, Run run);
    /// Forgets what arrived and was not adopted.
    void revert();
    /// Stops what is on its way to a side, without a word.
    void stop(std::size_t side);
    /// Each side shows what the other showed.
    void exchange();

    void cancel();
    bool busy() const;
    bool opening() const;
    widgets::ModelSession& session(std::size_t side) { return *sessions_.at(side); }

Q_SIGNALS:
    void opened(std::size_t side);
    void ran(std::size_t side);
    void openFailed(std::size_t side, const QString& message);
    void runFailed(std::size_t side, const QString& message);
    void cancelled(std::size_t side);
    void busyChanged(bool busy);
    void progressed(const QString& stage, double fraction);

private:
    void connectSession(std::size_t side);
    void relink();
    std::optional<widgets::OpenedModel> known(const std::filesystem::path& source,
                                              const LoadOptions& options) const;

    std::array<std::unique_ptr<widgets::ModelSession>, session::mostSides> sessions_;
    std::array<Run, session::mostSides> runs_;
    std::unique_ptr<const session::SideLinks> links_;
};

}  // namespace fovea::app
