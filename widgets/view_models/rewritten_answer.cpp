// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/rewritten_answer.h"

namespace fovea::widgets {

RewrittenAnswer::RewrittenAnswer(QObject* parent) : QObject(parent) {
    connect(&worker_, &LatestWins::busyChanged, this, &RewrittenAnswer::changed);
    connect(&worker_, &LatestWins::broken, this, &RewrittenAnswer::take);
}

void RewrittenAnswer::show(const Run& run, const EntmaxParameters& mechanism) {
    if (run == nullptr || !run->prompt || !run->canRunAgain()) return clear();
    if (run == run_ && mechanism == mechanism_) return;
    held_ = false;
    run_ = run;
    mechanism_ = mechanism;
    text_ = QString();
    worker_.submit([this, run, mechanism](std::stop_token stop, const LatestWins::Deliver& deliver) {
        const auto tell = [&](const QString& text) { deliver([this, text] { take(text); }); };
        const auto answer = rewrittenAnswer(*run, mechanism, tell, {std::move(stop), {}});
        if (answer) tell(*answer);
        else if (answer.error().kind != ErrorKind::Cancelled)
            tell(QString::fromStdString(answer.error().message));
    });
    Q_EMIT changed();
}

void RewrittenAnswer::holdUnless(const Run& run, const EntmaxParameters& mechanism) {
    const bool wanted = run == run_ && mechanism == mechanism_;
    if (wanted || held_ || run_ == nullptr) return;
    held_ = true;
    run_ = nullptr;
    text_ = QString();
    worker_.cancel();
    Q_EMIT changed();
}

void RewrittenAnswer::clear() {
    if (run_ == nullptr && !held_) return;
    held_ = false;
    run_ = nullptr;
    text_.reset();
    worker_.cancel();
    Q_EMIT changed();
}

void RewrittenAnswer::take(const QString& text) {
    text_ = text;
    Q_EMIT changed();
}

}  // namespace fovea::widgets
