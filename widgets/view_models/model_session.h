// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "widgets/view_models/latest_wins.h"
#include "widgets/view_models/model_run.h"

namespace fovea::widgets {

/// Opens models and dumps and runs inputs in the background. The newest source and the newest input win;
/// whatever fails or is cancelled leaves what there was. Inputs run while another source is on its way.
class ModelSession final : public QObject {
    Q_OBJECT

public:
    using Run = std::shared_ptr<const ModelRun>;

    explicit ModelSession(ModelOpener opener = openSource, QObject* parent = nullptr);

    /// What a model of pictures is opened with when its folder holds none.
    void setSamplePicture(const std::filesystem::path& file) { samplePicture_ = file; }

    /// What is opened, and what is run then.
    struct Opening {
        std::filesystem::path source;
        LoadOptions options = {};
        std::optional<session::InputChoice> input = {};  ///< none: the model's opening input
        bool fitted = false;  ///< leave out of `input` what the model has no use for
        std::optional<OpenedModel> known = {};  ///< the same, when it is open already: not opened twice
    };
    /// Ends with `opened`, `openFailed` or `cancelled`.
    void open(Opening opening);
    /// Runs `input` through the open model; ends with `ran`, `runFailed` or `cancelled`. Needs a run().
    void runInput(const session::InputChoice& input);
    void cancel();
    /// Makes `run` the newest, as if it had come from here; null: nothing is open. Stops what is on its way.
    void keep(Run run);

    /// The newest run; null until something is open.
    const Run& run() const { return run_; }
    bool busy() const { return sources_.busy() || inputs_.busy(); }
    bool opening() const { return sources_.busy(); }

Q_SIGNALS:
    void opened();
    void ran();
    void openFailed(const QString& message);
    void runFailed(const QString& message);
    void cancelled();
    void busyChanged(bool busy);
    /// `fraction` in [0, 1].
    void progressed(const QString& stage, double fraction);

private:
    void settleOpening(const Result<Run>& result);
    void settleInput(const Result<Run>& result);
    RunControl controlOf(std::stop_token stop, const LatestWins::Deliver& deliver);

    ModelOpener opener_;
    std::filesystem::path samplePicture_;
    Run run_;
    LatestWins sources_;
    LatestWins inputs_;
};

}  // namespace fovea::widgets
