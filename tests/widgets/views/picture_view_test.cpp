// SPDX-License-Identifier: GPL-3.0-or-later
// The image view under the hands of its user.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include "tests/widgets/sample_pictures.h"
#include "widgets/views/panel_view.h"

namespace fovea::widgets {

namespace {

struct PictureViewTest : ::testing::Test {
    PanelView view;
    std::shared_ptr<const Trace> trace = test::pictureTrace(6, 9);
    std::shared_ptr<const image::PreparedPicture> photo = test::samplePhoto(90, 60, 6, 9);
    std::vector<std::size_t> picked;
    std::vector<std::size_t> toggled;
    std::vector<int> stepped;
    std::vector<PictureLens> lenses;

    PictureViewTest() {
        QObject::connect(&view, &PanelView::queryPicked, &view,
                         [this](std::size_t query) { picked.push_back(query); });
        QObject::connect(&view, &PanelView::queryToggled, &view,
                         [this](std::size_t query) { toggled.push_back(query); });
        QObject::connect(&view, &PanelView::queryStepped, &view,
                         [this](int step) { stepped.push_back(step); });
        QObject::connect(&view, &PanelView::viewTransformChanged, &view,
                         [this](const PictureLens& lens) { lenses.push_back(lens); });
        view.resize(420, 320);
        view.show();
        show(20);
    }
    void show(std::size_t query) {
        view.setPicture(
            test::imagePicture(trace, photo, test::heatAround(*trace->grid, 0.4, 0.5, 0.3), query));
    }
    QPoint middleOf(std::size_t index) const { return view.viewportBoxOf(index).center().toPoint(); }
    void wheel(QPoint at, int notches) {
        QWheelEvent event(at, view.viewport()->mapToGlobal(at), {}, {0, 120 * notches}, Qt::NoButton,
                          Qt::NoModifier, Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(view.viewport(), &event);
    }
    void drag(QPoint from, QPoint by, Qt::MouseButton button = Qt::LeftButton) {
        QTest::mousePress(view.viewport(), button, {}, from);
        QTest::mouseMove(view.viewport(), from + by / 2);
        QTest::mouseMove(view.viewport(), from + by);
        QTest::mouseRelease(view.viewport(), button, {}, from + by);
    }
};

TEST_F(PictureViewTest, a_click_picks_a_patch_or_a_chip_and_shift_toggles_one) {
    for (const std::size_t position : {std::size_t{0}, std::size_t{1}, std::size_t{30}, std::size_t{54}}) {
        QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, middleOf(position));
        ASSERT_FALSE(picked.empty());
        EXPECT_EQ(picked.back(), position);
    }
    QTest::mouseClick(view.viewport(), Qt::LeftButton, Qt::ShiftModifier, middleOf(31));
    EXPECT_EQ(toggled, std::vector<std::size_t>{31});
    EXPECT_EQ(picked.size(), 4U);
}

TEST_F(PictureViewTest, the_whole_picture_fits_into_the_view) {
    for (std::size_t position = 0; position < 55; ++position) {
        EXPECT_TRUE(QRectF(view.viewport()->rect()).contains(view.viewportBoxOf(position))) << position;
    }
}

TEST_F(PictureViewTest, the_wheel_zooms_at_the_pointer_and_a_double_click_or_0_shows_all) {
    const QPoint at = middleOf(14);
    wheel(at, 4);
    ASSERT_EQ(lenses.size(), 1U);
    EXPECT_GT(view.lens().zoom, 1.5);
    EXPECT_EQ(lenses.back(), view.lens());
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, at);
    EXPECT_EQ(picked.back(), 14U);
    QTest::keyClick(&view, Qt::Key_0);
    EXPECT_EQ(view.lens(), PictureLens{});
    QTest::keyClick(&view, Qt::Key_Plus);
    EXPECT_GT(view.lens().zoom, 1);
    QTest::keyClick(&view, Qt::Key_Minus);
    EXPECT_NEAR(view.lens().zoom, 1, 1e-9);
    wheel(at, 3);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, at);
    EXPECT_EQ(view.lens(), PictureLens{});
    wheel(at, -3);
    EXPECT_EQ(view.lens().zoom, 1);
}

TEST_F(PictureViewTest, a_drag_moves_a_magnified_picture_and_picks_nothing) {
    wheel(middleOf(30), 6);
    const PictureLens before = view.lens();
    const QPoint middle = view.viewport()->rect().center();
    drag(middle, {-60, 20});
    EXPECT_GT(view.lens().centre.x(), before.centre.x());
    EXPECT_LT(view.lens().centre.y(), before.centre.y());
    EXPECT_TRUE(picked.empty());
    drag(middle, {2, 1});
    EXPECT_EQ(picked.size(), 1U);
    const PictureLens still = view.lens();
    drag(middle, {40, 0}, Qt::MiddleButton);
    EXPECT_LT(view.lens().centre.x(), still.centre.x());
    EXPECT_EQ(picked.size(), 1U);
}

TEST_F(PictureViewTest, arrows_walk_over_the_patches_and_control_keeps_them_for_heads) {
    QSignalSpy head(&view, &PanelView::headStepped);
    QTest::keyClick(&view, Qt::Key_Left);
    QTest::keyClick(&view, Qt::Key_Down);
    QTest::keyClick(&view, Qt::Key_Up);
    EXPECT_EQ(stepped, (std::vector<int>{-1, 9, -9}));
    show(3);
    QTest::keyClick(&view, Qt::Key_Up);
    EXPECT_EQ(stepped.size(), 3U);
    show(0);
    QTest::keyClick(&view, Qt::Key_Down);
    EXPECT_EQ(stepped.back(), 1);
    EXPECT_EQ(head.count(), 0);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
    EXPECT_EQ(head.count(), 1);
}

TEST_F(PictureViewTest, zoom_stays_while_pictures_follow_and_ends_with_the_photograph) {
    wheel(middleOf(30), 4);
    const PictureLens lens = view.lens();
    show(20);
    EXPECT_EQ(view.lens(), lens);
    PanelPicture message;
    message.message = QStringLiteral("running");
    view.setPicture(message);
    show(20);
    EXPECT_EQ(view.lens(), lens);
    photo = test::samplePhoto(90, 60, 6, 9);
    show(20);
    EXPECT_EQ(view.lens(), PictureLens{});
}

TEST_F(PictureViewTest, a_query_out_of_sight_is_moved_into_sight) {
    wheel(middleOf(1), 12);
    ASSERT_TRUE(view.viewportBoxOf(54).isEmpty());
    show(54);
    EXPECT_FALSE(view.viewportBoxOf(54).isEmpty());
}

TEST_F(PictureViewTest, a_linked_panel_takes_the_lens_without_an_echo) {
    view.setLens({3, QPointF(0.4, 0.6)});
    EXPECT_EQ(view.lens().zoom, 3);
    EXPECT_TRUE(lenses.empty());
}

}  // namespace

}  // namespace fovea::widgets
