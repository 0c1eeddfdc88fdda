// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "widgets/view_models/latest_wins.h"
#include "widgets/view_models/model_run.h"

namespace fovea::widgets {

/// Opens model folders and runs texts in the background. The newest folder and the newest text win;
/// whatever fails or is cancelled leaves what there was. Texts run while another folder is on its way.
class ModelSession final : public QObject {
    Q_OBJECT

public:
    using Run = std::shared_ptr<const ModelRun>;

    explicit ModelSession(ModelOpener opener = openModelFolder, QObject* parent = nullptr);

    /// Opens `folder` and runs its opening text; ends with `opened`, `openFailed` or `cancelled`.
    void open(const std::filesystem::path& folder);
    /// Runs `text` through the open model; ends with `ran`, `runFailed` or `cancelled`. Needs a run().
    void runText(const session::TextInput& text);
    void cancel();

    /// The newest run; null until a model is open.
    const Run& run() const { return run_; }
    bool busy() const { return folders_.busy() || texts_.busy(); }
    bool opening() const { return folders_.busy(); }

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
    void settleText(const Result<Run>& result);
    RunControl controlOf(std::stop_token stop, const LatestWins::Deliver& deliver);

    ModelOpener opener_;
    Run run_;
    LatestWins folders_;
    LatestWins texts_;
};

}  // namespace fovea::widgets
