// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <memory>
#include <optional>

#include "widgets/view_models/latest_wins.h"
#include "widgets/view_models/model_run.h"

namespace fovea::widgets {

/// What a model would have written with a mechanism inside it: written again in the background, token by
/// token. The newest mechanism wins; what was written for another is forgotten at once.
class RewrittenAnswer final : public QObject {
    Q_OBJECT

public:
    using Run = std::shared_ptr<const ModelRun>;

    explicit RewrittenAnswer(QObject* parent = nullptr);

    /// Writes to the prompt of `run` with `mechanism`; does nothing when both are as they were. A run that
    /// wrote nothing, and null, clear.
    void show(const Run& run, const EntmaxParameters& mechanism);
    void clear();
    /// Stops what is written with another mechanism and forgets it, until the next `show`: more is to come.
    void holdUnless(const Run& run, const EntmaxParameters& mechanism);

    /// The text so far; none where nothing is asked for.
    const std::optional<QString>& text() const { return text_; }
    /// True while tokens are still to come.
    bool writing() const { return held_ || worker_.busy(); }

Q_SIGNALS:
    void changed();

private:
    void take(const QString& text);

    Run run_;
    EntmaxParameters mechanism_;
    std::optional<QString> text_;
    bool held_ = false;
    LatestWins worker_;
};

}  // namespace fovea::widgets
