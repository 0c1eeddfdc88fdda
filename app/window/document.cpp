// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/document.h"

#include <QUndoCommand>

namespace fovea::app {

class Document::Step final : public QUndoCommand {
public:
    Step(Document& document, const QString& what, session::DocumentState after, QString gesture)
        : QUndoCommand(what),
          document_(document),
          before_(document.state()),
          after_(std::move(after)),
          gesture_(std::move(gesture)) {}

    int id() const override { return gesture_.isEmpty() ? -1 : 1; }
    void undo() override { document_.apply(before_); }
    void redo() override { document_.apply(after_); }

    bool mergeWith(const QUndoCommand* next) override {
        const auto* step = static_cast<const Step*>(next);
        if (step->gesture_ != gesture_) return false;
        after_ = step->after_;
        setObsolete(after_ == before_);
        return true;
    }

private:
    Document& document_;
    session::DocumentState before_;
    session::DocumentState after_;
    QString gesture_;
};

Document::Document(QObject* parent) : QObject(parent), state_(session::initialDocument()) {}

void Document::change(const QString& what, session::DocumentState after, const QString& gesture) {
    if (after == state_) return;
    undo_.push(new Step(*this, what, std::move(after), gesture));
}

void Document::restart(session::DocumentState state) {
    undo_.clear();
    apply(state);
}

void Document::apply(const session::DocumentState& state) {
    const session::DocumentState before = std::exchange(state_, state);
    Q_EMIT changed(before, state_);
}

}  // namespace fovea::app
