// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <memory>

#include "widgets/view_models/latest_wins.h"
#include "widgets/view_models/model_run.h"

namespace fovea::widgets {

/// Opens model folders and runs texts in the background. The newest request wins; whatever fails or
/// is cancelled leaves what there was.
class ModelSession final : public QObject {
    Q_OBJECT

public:
    using Run = std::shared_ptr<const ModelRun>;

    explicit ModelSession(ModelOpener opener = openModelFolder, QObject* parent = nullptr);

    /// Opens `folder` and runs its opening text; ends with `opened`, `failed` or `cancelled`.
    void open(const std::filesystem::path& folder);
    /// Runs `text` through the open model; ends with `ran`, `failed` or `cancelled`. Needs a run().
    void runText(const session::TextInput& text);
    void cancel();

    /// The newest run; null until a model is open.
    const Run& run() const { return run_; }
    bool busy() const { return worker_.busy(); }
    /// True while a folder is being opened (and not only a text being run).
    bool opening() const { return worker_.busy() && opening_; }

Q_SIGNALS:
    void opened();
    void ran();
    void failed(const QString& message);
    void cancelled();
    void busyChanged(bool busy);
    /// `fraction` in [0, 1].
    void progressed(const QString& stage, double fraction);

private:
    void settle(Result<Run> result, bool isNewModel);
    RunControl controlOf(std::stop_token stop, const LatestWins::Deliver& deliver);

    ModelOpener opener_;
    Run run_;
    bool opening_ = false;
    LatestWins worker_;
};

}  // namespace fovea::widgets
