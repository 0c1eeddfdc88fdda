// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workbench.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/widgets/synthetic_model.h"

namespace fovea::app {

namespace {

using test::waitFor;

struct WorkbenchTest : ::testing::Test {
    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    Workbench bench{test::syntheticOpener(behaviour)};

    void SetUp() override {
        bench.open("/synthetic");
        ASSERT_TRUE(settle());
        bench.setText({"one two three four five six seven", std::nullopt});
        ASSERT_TRUE(settle());
        bench.document().undoStack().clear();
    }
    bool settle() {
        return waitFor([this] { return bench.run() != nullptr && bench.settled(); });
    }
    session::Selection selection(std::size_t panel) { return bench.state().panels.at(panel).selection; }
};

TEST_F(WorkbenchTest, linked_panels_share_the_selection_and_unlinked_do_not) {
    bench.pickQuery(0, QueryIndex(3));
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    bench.setLinked(false);
    bench.pickQuery(0, QueryIndex(5));
    EXPECT_EQ(selection(0).query, QueryIndex(5));
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    bench.setLinked(true);
    EXPECT_EQ(selection(1).query, selection(0).query);
}

TEST_F(WorkbenchTest, steps_stop_at_the_ends) {
    bench.stepQuery(-100);
    EXPECT_EQ(selection(0).query, QueryIndex(0));
    bench.stepQuery(100);
    EXPECT_EQ(selection(0).query, QueryIndex(6));
    bench.stepHead(100);
    EXPECT_EQ(selection(0).head, HeadIndex(3));
    bench.stepLayer(100);
    EXPECT_EQ(selection(0).site, SiteIndex(1));
    ASSERT_TRUE(settle());
    EXPECT_NE(bench.panel(0).picture().row, nullptr);
}

TEST_F(WorkbenchTest, a_shorter_text_takes_the_selection_with_it_and_undo_brings_both_back) {
    bench.pickQuery(0, QueryIndex(6));
    bench.setText({"one two", std::nullopt});
    ASSERT_TRUE(settle());
    EXPECT_EQ(selection(0).query, QueryIndex(1));
    bench.document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.run()->text.text, "one two three four five six seven");
    EXPECT_EQ(selection(0).query, QueryIndex(6));
    EXPECT_EQ(bench.panel(0).picture().state, bench.state().panels.at(0));
    EXPECT_EQ(bench.panel(0).picture().trace->tokens.size(), 7U);
}

TEST_F(WorkbenchTest, a_text_that_cannot_run_changes_nothing) {
    QSignalSpy complaint(&bench, &Workbench::textComplaint);
    const session::DocumentState before = bench.state();
    bench.setText({"", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return complaint.count() == 1; }));
    EXPECT_FALSE(complaint.front().front().toString().isEmpty());
    EXPECT_EQ(bench.state(), before);
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(1).picture().state, before.panels.at(1));
}

TEST_F(WorkbenchTest, linked_panels_share_the_top_of_the_colour_scale) {
    const auto top = [&](std::size_t panel) { return bench.panel(panel).picture().largestWeight; };
    const double larger = std::max(bench.panel(0).ownLargest(), bench.panel(1).ownLargest());
    EXPECT_EQ(top(0), larger);
    EXPECT_EQ(top(1), larger);
    bench.setLinked(false);
    EXPECT_EQ(top(0), bench.panel(0).ownLargest());
    EXPECT_EQ(top(1), bench.panel(1).ownLargest());
}

TEST_F(WorkbenchTest, opening_another_model_starts_a_new_document) {
    bench.pickQuery(0, QueryIndex(2));
    EXPECT_TRUE(bench.document().undoStack().canUndo());
    bench.open("/other");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(bench.document().undoStack().canUndo());
}

TEST_F(WorkbenchTest, a_failed_opening_keeps_document_and_undo) {
    bench.pickQuery(0, QueryIndex(2));
    const session::DocumentState before = bench.state();
    QSignalSpy failed(&bench, &Workbench::openFailed);
    behaviour->failsToOpen = true;
    bench.open("/broken");
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_EQ(bench.state(), before);
    EXPECT_TRUE(bench.document().undoStack().canUndo());
}

TEST_F(WorkbenchTest, swapping_exchanges_mechanisms_and_is_undone) {
    const session::DocumentState before = bench.state();
    bench.swapPanels();
    EXPECT_EQ(bench.state().panels.at(0), before.panels.at(1));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(0).picture().letter, QStringLiteral("A"));
    EXPECT_EQ(bench.panel(0).picture().state, before.panels.at(1));
    bench.document().undoStack().undo();
    EXPECT_EQ(bench.state(), before);
}

}  // namespace

}  // namespace fovea::app
