// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_view_model.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/widgets/synthetic_model.h"

namespace fovea::widgets {

namespace {

using test::SyntheticBehaviour;
using test::waitFor;

struct PanelViewModelTest : ::testing::Test {
    std::shared_ptr<SyntheticBehaviour> behaviour = std::make_shared<SyntheticBehaviour>();
    PanelViewModel::Run run = test::syntheticRun(behaviour, "one two three four five six seven");
    PanelViewModel panel{QStringLiteral("A")};
    session::PanelState state = session::initialDocument().panels.at(1);

    void settle() { ASSERT_TRUE(waitFor([&] { return !panel.behind(); })); }
};

TEST_F(PanelViewModelTest, a_picture_carries_the_state_it_was_computed_from) {
    QObject::connect(&panel, &PanelViewModel::pictureChanged, &panel, [&] {
        ASSERT_NE(panel.picture().row, nullptr);
        EXPECT_EQ(panel.picture().row->mechanism, panel.picture().state.mechanism);
        EXPECT_EQ(panel.picture().row->selection, panel.picture().state.selection);
    });
    for (int step = 0; step <= 60; ++step) {
        session::setSliderAlpha(state.mechanism, 1 + step * 0.05);
        panel.show(run, state);
        if (step % 7 == 0) settle();
    }
    settle();
    EXPECT_EQ(panel.picture().state, state);
}

TEST_F(PanelViewModelTest, the_same_question_is_not_asked_twice) {
    QSignalSpy changed(&panel, &PanelViewModel::pictureChanged);
    panel.show(run, state);
    settle();
    const auto before = changed.count();
    panel.show(run, state);
    EXPECT_FALSE(panel.behind());
    EXPECT_EQ(changed.count(), before);
}

TEST_F(PanelViewModelTest, the_text_view_has_no_matrix_and_the_matrix_view_has) {
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.picture().matrix, nullptr);
    state.view = session::View::Matrix;
    panel.show(run, state);
    settle();
    ASSERT_NE(panel.picture().matrix, nullptr);
    EXPECT_EQ(panel.picture().matrix->queries, 7U);
    EXPECT_EQ(panel.picture().matrix->mechanism, state.mechanism);
}

TEST_F(PanelViewModelTest, moving_the_query_keeps_the_matrix) {
    state.view = session::View::Matrix;
    panel.show(run, state);
    settle();
    const auto matrix = panel.picture().matrix;
    state.selection.query = QueryIndex(3);
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.picture().matrix, matrix);
    EXPECT_EQ(panel.row()->selection.query, QueryIndex(3));
}

TEST_F(PanelViewModelTest, acting_inside_runs_the_model_once_for_all_queries) {
    state.mechanism.insideModel = true;
    panel.show(run, state);
    settle();
    const int runs = behaviour->runs;
    EXPECT_EQ(runs, 2);
    ASSERT_NE(panel.outputs(), nullptr);
    EXPECT_EQ(panel.picture().trace->records.front().applied, state.mechanism.weights);
    state.selection.query = QueryIndex(2);
    panel.show(run, state);
    settle();
    EXPECT_EQ(behaviour->runs, runs);
}

TEST_F(PanelViewModelTest, outputs_go_when_the_mechanism_leaves_the_model) {
    state.mechanism.insideModel = true;
    panel.show(run, state);
    settle();
    state.mechanism.insideModel = false;
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.outputs(), nullptr);
    EXPECT_EQ(panel.picture().trace, run->own);
}

TEST_F(PanelViewModelTest, a_long_run_inside_is_stopped_by_a_newer_state) {
    state.mechanism.insideModel = true;
    behaviour->runTime = std::chrono::seconds(100);
    panel.show(run, state);
    ASSERT_TRUE(waitFor([&] { return behaviour->runs == 2; }));
    state.mechanism.insideModel = false;
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.picture().state, state);
    EXPECT_EQ(behaviour->stopped, 1);
}

TEST_F(PanelViewModelTest, what_cannot_be_evaluated_is_said_in_the_panel) {
    state.selection.head = HeadIndex(99);
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.picture().row, nullptr);
    EXPECT_FALSE(panel.picture().message.isEmpty());
}

TEST_F(PanelViewModelTest, a_held_panel_is_behind_until_it_is_shown_anew) {
    panel.show(run, state);
    settle();
    panel.hold();
    EXPECT_TRUE(panel.behind());
    panel.show(run, state);
    EXPECT_FALSE(panel.behind());
}

TEST_F(PanelViewModelTest, the_place_names_the_group_of_grouped_queries) {
    state.selection.site = SiteIndex(1);
    state.selection.head = HeadIndex(3);
    panel.show(run, state);
    settle();
    EXPECT_EQ(panel.picture().place, QStringLiteral("layer 1 · head 3 (kv group 1)"));
}

}  // namespace

}  // namespace fovea::widgets
