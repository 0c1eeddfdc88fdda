// SPDX-License-Identifier: GPL-3.0-or-later
// Two models or two inputs beside each other, on a workbench without a window.
#include <gtest/gtest.h>

#include <QSignalSpy>

#include "app/window/workbench.h"
#include "core/session/side_links.h"
#include "tests/widgets/synthetic_model.h"

namespace fovea::app {

namespace {

using test::waitFor;

struct ComparisonTest : ::testing::Test {
    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    Workbench bench{test::syntheticOpener(behaviour)};

    void SetUp() override {
        bench.open("/base");
        ASSERT_TRUE(settle());
        bench.setText({"the big dog runs home", std::nullopt});
        ASSERT_TRUE(settle());
        bench.document().undoStack().clear();
    }
    void TearDown() override {
        behaviour->runTime = std::chrono::milliseconds(0);
        behaviour->openTime = std::chrono::milliseconds(0);
    }
    bool settle() {
        return waitFor([this] { return bench.run() != nullptr && bench.settled(); });
    }
    void compareModels() {
        bench.compareWith("/tuned");
        ASSERT_TRUE(waitFor([this] { return bench.state().comparing(); }));
        ASSERT_TRUE(settle());
    }
    void compareTexts(const std::string& edit) {
        bench.compareTexts();
        ASSERT_TRUE(settle());
        bench.setText(1, {edit, std::nullopt});
        ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].input.text.text == edit; }));
        ASSERT_TRUE(settle());
    }
    void undo() { bench.document().undoStack().undo(); }
    void redo() { bench.document().undoStack().redo(); }
    session::Selection selection(std::size_t panel) { return bench.state().panels.at(panel).selection; }
    const widgets::PanelPicture& picture(std::size_t panel) { return bench.panel(panel).picture(); }
    std::string textOf(std::size_t panel) {
        std::string text;
        for (const TokenLabel& token : picture(panel).trace->tokens)
            text += (text.empty() ? "" : " ") + token.text;
        return text;
    }
    // What is on show is what the document says, on both panels.
    void expectShown() {
        for (std::size_t panel = 0; panel < bench.panelCount(); ++panel) {
            const session::PanelState& state = bench.state().panels.at(panel);
            const session::Side& side = bench.state().sides.at(state.side);
            EXPECT_EQ(picture(panel).state, state) << panel;
            ASSERT_TRUE(picture(panel).message.isEmpty()) << picture(panel).message.toStdString();
            EXPECT_EQ(textOf(panel), side.input.text.text) << panel;
            EXPECT_EQ(bench.runOf(state.side)->opened.source, side.source);
            EXPECT_EQ(bench.runOf(state.side)->own, picture(panel).trace) << panel;
        }
    }
};

TEST_F(ComparisonTest, another_model_reads_the_same_text_beside_the_first) {
    const session::PanelState active = bench.state().panels.at(bench.activePanel());
    compareModels();
    const session::DocumentState& state = bench.state();
    ASSERT_EQ(state.sides.size(), 2U);
    EXPECT_EQ(state.sides[0].source, "/base");
    EXPECT_EQ(state.sides[1].source, "/tuned");
    EXPECT_EQ(state.sides[1].input, state.sides[0].input);
    EXPECT_EQ(state.panels[0].side, 0U);
    EXPECT_EQ(state.panels[1].side, 1U);
    // One mechanism, so that the models are what differs.
    for (const auto& panel : state.panels) EXPECT_EQ(panel.mechanism, active.mechanism);
    EXPECT_EQ(state.activePanel, 1U);
    expectShown();
    EXPECT_TRUE(picture(0).context.side.contains(QStringLiteral("the big dog")));
}

TEST_F(ComparisonTest, another_text_has_the_same_model_which_is_not_opened_twice) {
    compareTexts("the small dog runs");
    EXPECT_EQ(behaviour->opened, 1);
    EXPECT_EQ(bench.runOf(0)->opened.model, bench.runOf(1)->opened.model);
    EXPECT_EQ(bench.state().sides[0].input.text.text, "the big dog runs home");
    expectShown();
}

TEST_F(ComparisonTest, the_same_folder_is_opened_once_whichever_way_it_comes) {
    bench.compareWith("/base");
    ASSERT_TRUE(waitFor([this] { return bench.state().comparing(); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(behaviour->opened, 1);
    bench.restore(bench.state());
    ASSERT_TRUE(settle());
    EXPECT_EQ(behaviour->opened, 1);
    bench.open("/base");
    ASSERT_TRUE(settle());
    EXPECT_EQ(behaviour->opened, 2) << "opening anew reads anew";
}

TEST_F(ComparisonTest, a_query_is_picked_by_token_on_the_other_side) {
    compareTexts("look the small dog runs");
    bench.pickQuery(0, QueryIndex(2));  // dog
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    bench.pickQuery(1, QueryIndex(4));  // runs
    EXPECT_EQ(selection(0).query, QueryIndex(3));
    ASSERT_TRUE(settle());
    expectShown();
}

TEST_F(ComparisonTest, a_token_without_counterpart_leaves_no_query_there_and_a_note) {
    compareTexts("the small dog runs home");
    bench.pickQuery(0, QueryIndex(1));  // big
    ASSERT_TRUE(settle());
    EXPECT_TRUE(bench.state().panels[1].withoutQuery);
    EXPECT_EQ(picture(1).row, nullptr);
    EXPECT_EQ(picture(1).context.note, QStringLiteral("no counterpart of “big” in B"));
    EXPECT_FALSE(bench.state().panels[0].withoutQuery);
    bench.pickQuery(1, QueryIndex(2));
    ASSERT_TRUE(settle());
    EXPECT_FALSE(bench.state().panels[1].withoutQuery);
    EXPECT_NE(picture(1).row, nullptr);
    EXPECT_TRUE(picture(1).context.note.isEmpty());
    EXPECT_EQ(selection(0).query, QueryIndex(2));
    undo();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(bench.state().panels[1].withoutQuery);
    EXPECT_EQ(picture(1).row, nullptr);
}

TEST_F(ComparisonTest, a_panel_without_a_query_stays_so_until_something_is_asked_there) {
    compareTexts("the small dog runs home");
    bench.pickQuery(0, QueryIndex(1));
    bench.activate(1);
    bench.stepHead(1);
    bench.stepLayer(1);
    EXPECT_TRUE(bench.state().panels[1].withoutQuery);
    EXPECT_FALSE(bench.state().panels[0].withoutQuery);
    EXPECT_EQ(selection(0).query, QueryIndex(1));
    EXPECT_EQ(selection(0).head, selection(1).head);
    EXPECT_EQ(selection(0).site, selection(1).site);
    bench.toggleQuery(1, QueryIndex(3));
    EXPECT_FALSE(bench.state().panels[1].withoutQuery);
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    EXPECT_TRUE(selection(1).more.empty());
    EXPECT_EQ(selection(0).query, QueryIndex(3));
}

TEST_F(ComparisonTest, what_is_hovered_is_hovered_at_its_counterpart_or_nowhere) {
    compareTexts("look the small dog runs home");
    const widgets::PanelHit dog{QueryIndex(0), KeyIndex(2)};
    const auto across = bench.hitAcross(0, 1, dog);
    ASSERT_TRUE(across);
    EXPECT_EQ(across->key, KeyIndex(3));
    EXPECT_FALSE(bench.hitAcross(0, 1, widgets::PanelHit{QueryIndex(0), KeyIndex(1)}));
    EXPECT_FALSE(bench.hitAcross(0, 1, std::nullopt));
}

TEST_F(ComparisonTest, tokens_that_one_text_alone_has_are_marked) {
    compareTexts("the small dog runs home");
    EXPECT_EQ(picture(0).context.onlyHere, (std::vector<bool>{false, true, false, false, false}));
    EXPECT_EQ(picture(1).context.onlyHere, (std::vector<bool>{false, true, false, false, false}));
    bench.setText(1, {"the big dog runs home", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].input == bench.state().sides[0].input; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(picture(0).context.onlyHere, std::vector<bool>(5));
}

TEST_F(ComparisonTest, unlinked_sides_keep_their_own_queries) {
    compareTexts("the small dog runs home");
    bench.setLinked(false);
    bench.pickQuery(0, QueryIndex(1));
    EXPECT_FALSE(bench.state().panels[1].withoutQuery);
    bench.setLinked(true);
    EXPECT_TRUE(bench.state().panels[1].withoutQuery || bench.state().panels[0].withoutQuery ||
                selection(0).query == selection(1).query);
}

TEST_F(ComparisonTest, heads_are_linked_by_stack_and_index) {
    compareModels();
    bench.pickHead(SiteIndex(1), HeadIndex(3));
    EXPECT_EQ(selection(0).site, SiteIndex(1));
    EXPECT_EQ(selection(0).head, HeadIndex(3));
}

TEST_F(ComparisonTest, a_run_of_one_side_never_shows_on_the_other) {
    compareTexts("one two three");
    behaviour->runTime = std::chrono::milliseconds(40);
    for (int round = 0; round < 4; ++round) {
        bench.setText(0, {"left side " + std::to_string(round), std::nullopt});
        bench.setText(1, {"right side of round " + std::to_string(round), std::nullopt});
        waitFor([&] {
            for (std::size_t panel = 0; panel < 2; ++panel) {
                if (!picture(panel).trace) continue;
                EXPECT_EQ(picture(panel).trace->tokens.front().text == "left",
                          panel == 0 && textOf(0) != "the big dog runs home")
                    << textOf(panel);
            }
            return !bench.busy();
        });
    }
    ASSERT_TRUE(settle());
    EXPECT_EQ(textOf(0), "left side 3");
    EXPECT_EQ(textOf(1), "right side of round 3");
    expectShown();
}

TEST_F(ComparisonTest, adding_changing_and_removing_a_side_are_undone_and_redone) {
    std::vector<session::DocumentState> states{bench.state()};
    compareModels();
    states.push_back(bench.state());
    bench.setText(1, {"an edit", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].input.text.text == "an edit"; }));
    states.push_back(bench.state());
    bench.replaceSide(1, "/third");
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].source == "/third"; }));
    states.push_back(bench.state());
    bench.swapSides();
    states.push_back(bench.state());
    bench.stopComparing();
    states.push_back(bench.state());
    EXPECT_FALSE(bench.state().comparing());
    EXPECT_EQ(bench.state().sides[0].source, "/third");
    ASSERT_TRUE(settle());
    expectShown();
    for (std::size_t step = states.size() - 1; step > 0; --step) {
        undo();
        EXPECT_EQ(bench.state(), states[step - 1]) << step;
        ASSERT_TRUE(settle());
        expectShown();
    }
    for (std::size_t step = 1; step < states.size(); ++step) {
        redo();
        EXPECT_EQ(bench.state(), states[step]) << step;
        ASSERT_TRUE(settle());
        expectShown();
    }
    // Without a pause in between: only the last state counts.
    for (std::size_t step = 1; step < states.size(); ++step) undo();
    for (std::size_t step = 2; step < states.size(); ++step) redo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.state(), states[states.size() - 2]);
    expectShown();
}

TEST_F(ComparisonTest, a_model_that_cannot_be_opened_leaves_what_there_was) {
    const session::DocumentState before = bench.state();
    QSignalSpy failed(&bench, &Workbench::openFailed);
    behaviour->failsToOpen = true;
    bench.compareWith("/broken");
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_TRUE(failed.front().front().toString().contains(QStringLiteral("broken")));
    EXPECT_EQ(bench.state(), before);
    behaviour->failsToOpen = false;
    compareModels();
    const session::DocumentState comparing = bench.state();
    behaviour->failsToOpen = true;
    bench.replaceSide(0, "/broken");
    ASSERT_TRUE(waitFor([&] { return failed.count() == 2; }));
    EXPECT_EQ(bench.state(), comparing);
    ASSERT_TRUE(settle());
    expectShown();
}

TEST_F(ComparisonTest, a_session_whose_second_side_fails_leaves_both_sides_as_they_were) {
    compareModels();
    const session::DocumentState before = bench.state();
    session::DocumentState wanted = before;
    wanted.sides[0].source = "/elsewhere";
    wanted.sides[1].input.text.text = "";
    QSignalSpy failed(&bench, &Workbench::openFailed);
    bench.restore(wanted);
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_EQ(bench.state(), before);
    ASSERT_TRUE(settle());
    expectShown();
    bench.setText(0, {"still the first model", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[0].input.text.text == "still the first model"; }));
    ASSERT_TRUE(settle());
    expectShown();
}

TEST_F(ComparisonTest, cancelling_a_comparison_leaves_what_there_was) {
    const session::DocumentState before = bench.state();
    behaviour->openTime = std::chrono::seconds(100);
    QSignalSpy cancelled(&bench, &Workbench::cancelled);
    bench.compareWith("/slow");
    EXPECT_TRUE(bench.busy());
    bench.cancel();
    ASSERT_TRUE(waitFor([&] { return cancelled.count() >= 1 && !bench.busy(); }));
    EXPECT_EQ(bench.state(), before);
    behaviour->openTime = std::chrono::milliseconds(0);
    compareModels();
    expectShown();
}

TEST_F(ComparisonTest, a_cancelled_undo_says_so_in_the_panels_it_left_behind) {
    compareModels();
    bench.stopComparing();
    ASSERT_TRUE(settle());
    behaviour->openTime = std::chrono::seconds(100);
    undo();
    EXPECT_TRUE(bench.panel(1).behind());
    bench.cancel();
    ASSERT_TRUE(waitFor([&] { return !bench.panel(1).behind(); }));
    EXPECT_FALSE(picture(1).message.isEmpty());
    behaviour->openTime = std::chrono::milliseconds(0);
    redo();
    ASSERT_TRUE(settle());
    expectShown();
}

TEST_F(ComparisonTest, opening_a_new_document_ends_the_comparison) {
    compareModels();
    bench.open("/fresh");
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[0].source == "/fresh"; }));
    ASSERT_TRUE(settle());
    EXPECT_FALSE(bench.state().comparing());
    EXPECT_EQ(bench.runOf(1), nullptr);
    EXPECT_FALSE(bench.document().undoStack().canUndo());
    expectShown();
}

TEST_F(ComparisonTest, a_session_of_two_sides_is_restored) {
    compareModels();
    bench.setText(1, {"an edit", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].input.text.text == "an edit"; }));
    const session::DocumentState kept = bench.state();
    bench.open("/fresh");
    ASSERT_TRUE(waitFor([&] { return !bench.state().comparing(); }));
    ASSERT_TRUE(settle());
    bench.restore(kept);
    ASSERT_TRUE(waitFor([&] { return bench.state().comparing(); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.state(), kept);
    expectShown();
}

TEST_F(ComparisonTest, a_session_with_one_panel_is_shown_on_both) {
    session::DocumentState document = bench.state();
    document.panels.resize(1);
    document.activePanel = 0;
    bench.restore(document);
    ASSERT_TRUE(waitFor([&] { return !bench.busy(); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.state().panels.size(), bench.panelCount());
    expectShown();
}

TEST_F(ComparisonTest, swapping_sides_keeps_mechanisms_and_exchanges_what_is_looked_at) {
    compareTexts("the small dog");
    bench.activate(0);
    session::MechanismChoice sparse;
    sparse.weights.alpha = 2;
    bench.setMechanism(sparse, QStringLiteral("Set"), -1);
    const session::DocumentState before = bench.state();
    bench.swapSides();
    EXPECT_EQ(bench.state().panels[0].mechanism, before.panels[0].mechanism);
    EXPECT_EQ(bench.state().panels[0].side, 1U);
    ASSERT_TRUE(settle());
    EXPECT_EQ(textOf(0), "the small dog");
    bench.swapSides();
    EXPECT_EQ(bench.state(), before);
}

TEST_F(ComparisonTest, the_other_side_can_be_given_the_same_text) {
    compareModels();
    bench.setText({"only in b", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[1].input.text.text == "only in b"; }));
    EXPECT_NE(bench.state().sides[0].input, bench.state().sides[1].input);
    bench.shareInput();
    ASSERT_TRUE(waitFor([&] { return bench.state().sides[0].input == bench.state().sides[1].input; }));
    ASSERT_TRUE(settle());
    expectShown();
}

TEST_F(ComparisonTest, a_text_that_cannot_run_on_one_side_changes_neither) {
    compareTexts("the small dog");
    const session::DocumentState before = bench.state();
    QSignalSpy complaint(&bench, &Workbench::inputComplaint);
    bench.setText(1, {"", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return complaint.count() >= 1; }));
    EXPECT_FALSE(complaint.back().front().toString().isEmpty());
    EXPECT_EQ(bench.state(), before);
    ASSERT_TRUE(settle());
    expectShown();
}

}  // namespace

}  // namespace fovea::app
