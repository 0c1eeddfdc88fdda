// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/panel_context.h"

#include <gtest/gtest.h>

#include "tests/widgets/synthetic_model.h"
#include "widgets/view_models/panel_evaluation.h"

namespace fovea::widgets {

namespace {

struct PanelContextTest : ::testing::Test {
    using Run = std::shared_ptr<const ModelRun>;

    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    std::vector<Run> runs{test::syntheticRun(behaviour, "the big dog"),
                          test::syntheticRun(behaviour, "the small dog")};
    session::SideLinks links{runs[0]->own, runs[1]->own};
    session::DocumentState document = session::initialDocument();

    void SetUp() override {
        document.sides.resize(2);
        document.panels[1].side = 1;
    }
    PanelContext context(std::size_t panel) { return panelContext(document, runs, &links, panel); }
};

TEST_F(PanelContextTest, is_empty_where_there_is_one_side) {
    document.sides.resize(1);
    document.panels[1].side = 0;
    EXPECT_EQ(context(0), PanelContext{});
    EXPECT_EQ(context(1), PanelContext{});
}

TEST_F(PanelContextTest, says_which_side_a_panel_shows_and_marks_what_only_it_has) {
    EXPECT_EQ(context(0).side, QStringLiteral("synthetic · the big dog"));
    EXPECT_EQ(context(1).side, QStringLiteral("synthetic · the small dog"));
    EXPECT_EQ(context(0).onlyHere, (std::vector<bool>{false, true, false}));
    EXPECT_TRUE(context(0).note.isEmpty());
}

TEST_F(PanelContextTest, names_queries_without_counterpart_with_the_panels_letter) {
    document.panels[1].unmatched = {"big", "huge", "vast", "great"};
    EXPECT_EQ(context(1).note, QStringLiteral("no counterpart of “big”, “huge”, “vast”, … in B"));
    document.linked = false;
    EXPECT_TRUE(context(1).note.isEmpty());
}

TEST_F(PanelContextTest, says_where_a_panel_could_only_come_near) {
    auto shallow = std::make_shared<ModelRun>(*runs[1]);
    auto trace = std::make_shared<Trace>(*runs[1]->own);
    trace->records.resize(1);
    shallow->own = trace;
    runs[1] = shallow;
    document.panels[0].selection = {SiteIndex(1), HeadIndex(2), QueryIndex(0), {}, {}};
    document.panels[1].selection = {SiteIndex(0), HeadIndex(2), QueryIndex(0), {}, {}};
    const session::SideLinks unequal(runs[0]->own, trace);
    EXPECT_TRUE(panelContext(document, runs, &unequal, 1)
                    .note.startsWith(QStringLiteral("nearest to layer 1 · head 2")));
    EXPECT_TRUE(panelContext(document, runs, &unequal, 0).note.isEmpty());
}

TEST_F(PanelContextTest, is_kept_short_and_stands_without_the_other_run) {
    runs[0] =
        test::syntheticRun(behaviour, "a very long text that goes on and on and on and on for many words");
    runs[1] = nullptr;
    const PanelContext alone = panelContext(document, runs, nullptr, 0);
    EXPECT_LT(alone.side.size(), 60);
    EXPECT_TRUE(alone.side.endsWith(QStringLiteral("…")));
    EXPECT_TRUE(alone.onlyHere.empty());
    EXPECT_EQ(panelContext(document, runs, nullptr, 1), PanelContext{});
}

TEST_F(PanelContextTest, a_picture_without_a_query_has_no_row) {
    document.panels[1].withoutQuery = true;
    auto picture = rowPicture(*runs[1], runs[1]->own, document.panels[1], QStringLiteral("B")).value();
    ASSERT_NE(picture.row, nullptr);
    addContext(picture, context(1));
    EXPECT_EQ(picture.row, nullptr);
    EXPECT_EQ(picture.context.side, QStringLiteral("synthetic · the small dog"));
}

}  // namespace

}  // namespace fovea::widgets
