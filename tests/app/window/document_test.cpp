// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/document.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

namespace fovea::app {

namespace {

using session::DocumentState;

DocumentState withAlpha(DocumentState state, double alpha) {
    state.panels.at(1).mechanism.weights.alpha = alpha;
    return state;
}

TEST(Document, undo_and_redo_restore_the_states) {
    Document document;
    const DocumentState first = document.state();
    DocumentState second = withAlpha(first, 2);
    second.sides[0].input.text = {"one two", "three"};
    DocumentState third = second;
    third.panels.at(0).view = session::View::Matrix;
    third.activePanel = 0;
    document.change(QStringLiteral("text"), second);
    document.change(QStringLiteral("view"), third);
    document.undoStack().undo();
    EXPECT_EQ(document.state(), second);
    document.undoStack().undo();
    EXPECT_EQ(document.state(), first);
    document.undoStack().redo();
    document.undoStack().redo();
    EXPECT_EQ(document.state(), third);
}

TEST(Document, a_drag_is_one_step_and_two_drags_are_two) {
    Document document;
    const DocumentState first = document.state();
    for (const double alpha : {1.6, 1.7, 1.8}) {
        document.change(QStringLiteral("α"), withAlpha(document.state(), alpha), QStringLiteral("drag 1"));
    }
    for (const double alpha : {1.9, 2.4}) {
        document.change(QStringLiteral("α"), withAlpha(document.state(), alpha), QStringLiteral("drag 2"));
    }
    EXPECT_EQ(document.undoStack().count(), 2);
    document.undoStack().undo();
    EXPECT_EQ(document.state(), withAlpha(first, 1.8));
    document.undoStack().undo();
    EXPECT_EQ(document.state(), first);
}

TEST(Document, a_drag_back_to_its_start_leaves_no_step) {
    Document document;
    const DocumentState first = document.state();
    document.change(QStringLiteral("α"), withAlpha(first, 3), QStringLiteral("drag"));
    document.change(QStringLiteral("α"), first, QStringLiteral("drag"));
    EXPECT_EQ(document.state(), first);
    EXPECT_FALSE(document.undoStack().canUndo());
}

TEST(Document, a_change_to_what_there_is_is_no_step) {
    Document document;
    QSignalSpy changed(&document, &Document::changed);
    document.change(QStringLiteral("nothing"), document.state());
    EXPECT_EQ(document.undoStack().count(), 0);
    EXPECT_EQ(changed.count(), 0);
}

TEST(Document, restarting_leaves_nothing_to_undo) {
    Document document;
    document.change(QStringLiteral("α"), withAlpha(document.state(), 3));
    document.restart(session::initialDocument());
    EXPECT_FALSE(document.undoStack().canUndo());
    EXPECT_EQ(document.state(), session::initialDocument());
}

}  // namespace

}  // namespace fovea::app
