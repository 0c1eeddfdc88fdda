// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>
#include <QUndoStack>

#include "core/session/document_state.h"

namespace fovea::app {

/// The state of the window's work, and the way back: every change is a command with the state before
/// and after. Views observe it; nothing else changes it.
class Document final : public QObject {
    Q_OBJECT

public:
    explicit Document(QObject* parent = nullptr);

    const session::DocumentState& state() const { return state_; }
    QUndoStack& undoStack() { return undo_; }

    /// Makes `after` the state, as one step named `what`. Steps that follow each other with the same
    /// non-empty `gesture` become one; a change to what there is is no step.
    void change(const QString& what, session::DocumentState after, const QString& gesture = {});
    /// Starts anew with `state`: nothing to undo.
    void restart(session::DocumentState state);

Q_SIGNALS:
    void changed(const fovea::session::DocumentState& before, const fovea::session::DocumentState& after);

private:
    class Step;
    void apply(const session::DocumentState& state);

    session::DocumentState state_;
    QUndoStack undo_;
};

}  // namespace fovea::app
