// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>

#include "core/session/outputs.h"
#include "widgets/view_models/latest_wins.h"
#include "widgets/view_models/model_run.h"
#include "widgets/view_models/panel_picture.h"

namespace fovea::widgets {

/// What one panel shows: turns a run and the panel's state into a picture, in the background. The
/// newest state wins. A picture always carries the state that it was computed from, and stays until the
/// next one is there; `behind` says that another state was asked for since.
class PanelViewModel final : public QObject {
    Q_OBJECT

public:
    using Run = std::shared_ptr<const ModelRun>;

    explicit PanelViewModel(QString letter, QObject* parent = nullptr);

    /// Asks for the picture of `state` on `run` with what `context` says of the other side; does nothing
    /// when all are as they were.
    void show(Run run, const session::PanelState& state, PanelContext context = {});
    /// Keeps the picture but marks it as not of the wanted state, until the next `show`.
    void hold();
    /// Shows a sentence in place of a picture, until the next `show`.
    void fail(const QString& message);
    /// Top of the colour scale, when it is shared with other panels.
    void setScaleTop(double largest);

    const PanelPicture& picture() const { return picture_; }
    /// The row under the newest state: there before the picture of a large matrix is.
    const std::shared_ptr<const session::RowEvaluation>& row() const { return row_; }
    /// Outputs before and after; null unless the picture's mechanism acts inside the model.
    const std::shared_ptr<const session::OutputComparison>& outputs() const { return outputs_; }
    /// The largest value that this picture shows.
    double ownLargest() const { return ownLargest_; }
    /// True while the picture is not that of the newest state.
    bool behind() const { return held_ || worker_.busy(); }
    /// Duration of the last run inside the model; 0 when there was none.
    double whatIfMilliseconds() const { return whatIf_.milliseconds; }

Q_SIGNALS:
    /// A new picture is there but not announced yet: the moment to share its scale.
    void evaluated();
    void pictureChanged();
    void rowChanged();
    void behindChanged(bool behind);

private:
    /// A run under a mechanism, kept so that moving the query does not run the model again.
    struct WhatIf {
        std::shared_ptr<const Trace> own;
        EntmaxParameters mechanism;
        std::shared_ptr<const Trace> trace;
        double milliseconds = 0;
    };
    struct Job;
    struct Answer;

    void settle(Answer answer);
    void setHeld(bool held);

    Run run_;
    session::PanelState wanted_;
    PanelContext context_;
    PanelPicture picture_;
    std::shared_ptr<const session::RowEvaluation> row_;
    std::shared_ptr<const session::OutputComparison> outputs_;
    double ownLargest_ = 1;
    bool held_ = false;
    bool settling_ = false;
    WhatIf whatIf_;
    LatestWins worker_;
};

}  // namespace fovea::widgets
