// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/panel_view.h"

#include <gtest/gtest.h>

#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

struct PanelViewTest : ::testing::Test {
    PanelView view;
    std::shared_ptr<const Trace> trace = test::sentence();
    std::size_t count = trace->tokens.size();
    std::vector<std::size_t> picked;
    std::vector<std::optional<PanelHit>> hovered;

    PanelViewTest() {
        QObject::connect(&view, &PanelView::queryPicked, &view,
                         [this](std::size_t query) { picked.push_back(query); });
        QObject::connect(&view, &PanelView::hovered, &view,
                         [this](const std::optional<PanelHit>& hit) { hovered.push_back(hit); });
        view.resize(420, 320);
        view.show();
    }
    void showText() { view.setPicture(test::rowPicture(trace, test::someWeights(count, 2), 2)); }
    QPoint middleOf(std::size_t index) const { return view.viewportBoxOf(index).center().toPoint(); }
};

TEST_F(PanelViewTest, a_click_on_a_token_makes_it_the_query) {
    showText();
    for (const std::size_t token : {std::size_t{0}, std::size_t{5}, count - 1}) {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, middleOf(token));
        ASSERT_FALSE(picked.empty());
        EXPECT_EQ(picked.back(), token);
    }
}

TEST_F(PanelViewTest, a_click_on_a_row_of_the_matrix_makes_it_the_query) {
    view.setPicture(test::causalPicture(trace, 2));
    const QRectF row = view.viewportBoxOf(7);
    ASSERT_FALSE(row.isEmpty());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(static_cast<int>(row.right()) - 20,
                                                                  static_cast<int>(row.center().y())));
    ASSERT_FALSE(picked.empty());
    EXPECT_EQ(picked.back(), 7U);
}

TEST_F(PanelViewTest, hover_is_announced_once_a_token_and_ends_outside) {
    showText();
    QTest::mouseMove(view.viewport(), middleOf(3));
    QTest::mouseMove(view.viewport(), middleOf(3) + QPoint(1, 0));
    ASSERT_EQ(hovered.size(), 1U);
    EXPECT_EQ(hovered.back()->key, KeyIndex(3));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(view.viewport(), &leave);
    ASSERT_EQ(hovered.size(), 2U);
    EXPECT_FALSE(hovered.back().has_value());
}

TEST_F(PanelViewTest, arrows_go_to_what_stands_there_where_a_text_reads_from_right_to_left) {
    const auto hebrew =
        test::traceOf({"[CLS]", "\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd", "[SEP]"});
    view.setPicture(test::rowPicture(hebrew, test::someWeights(4, 1), 1));
    QSignalSpy query(&view, &PanelView::queryStepped);
    QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_Right);
    ASSERT_EQ(query.count(), 2);
    EXPECT_EQ(query[0].front().toInt(), 1) << "the next word stands to the left";
    EXPECT_EQ(query[1].front().toInt(), -1);
}

TEST_F(PanelViewTest, keys_step_query_head_and_layer) {
    showText();
    QSignalSpy query(&view, &PanelView::queryStepped);
    QSignalSpy head(&view, &PanelView::headStepped);
    QSignalSpy layer(&view, &PanelView::layerStepped);
    QTest::keyClick(&view, Qt::Key_Right);
    QTest::keyClick(&view, Qt::Key_Up);
    QTest::keyClick(&view, Qt::Key_PageDown);
    ASSERT_EQ(query.count(), 1);
    ASSERT_EQ(head.count(), 1);
    ASSERT_EQ(layer.count(), 1);
    EXPECT_EQ(query.front().front().toInt(), 1);
    EXPECT_EQ(head.front().front().toInt(), -1);
    EXPECT_EQ(layer.front().front().toInt(), 1);
}

TEST_F(PanelViewTest, a_long_text_scrolls_and_its_tokens_are_hit_where_they_are_seen) {
    const auto longTrace = test::longText(400);
    view.setPicture(test::rowPicture(longTrace, test::someWeights(400, 0), 0));
    ASSERT_GT(view.verticalScrollBar()->maximum(), 0);
    view.verticalScrollBar()->setValue(view.verticalScrollBar()->maximum());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, middleOf(399));
    ASSERT_FALSE(picked.empty());
    EXPECT_EQ(picked.back(), 399U);
}

TEST_F(PanelViewTest, another_query_is_scrolled_into_view_but_a_new_picture_of_it_stays) {
    const auto longTrace = test::longText(400);
    view.setPicture(test::rowPicture(longTrace, test::someWeights(400, 390), 390));
    EXPECT_GT(view.verticalScrollBar()->value(), 0);
    view.verticalScrollBar()->setValue(0);
    view.setPicture(test::rowPicture(longTrace, test::someWeights(400, 390), 390));
    EXPECT_EQ(view.verticalScrollBar()->value(), 0);
}

TEST_F(PanelViewTest, paints_without_a_picture_and_with_a_message) {
    EXPECT_FALSE(view.grab().isNull());
    PanelPicture picture;
    picture.message = QStringLiteral("opening …");
    view.setPicture(picture);
    EXPECT_FALSE(view.grab().isNull());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(50, 50));
    EXPECT_TRUE(picked.empty());
}

}  // namespace

}  // namespace fovea::widgets
