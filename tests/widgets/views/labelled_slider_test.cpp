// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/labelled_slider.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QTest>
#include <set>

#include "widgets/views/mark_slider.h"
#include "widgets/views/number_box.h"

namespace fovea::widgets {

namespace {

struct LabelledSliderTest : ::testing::Test {
    LabelledSlider alpha{QStringLiteral("α"), QStringLiteral("Alpha"), SliderScale::alpha()};
    QSignalSpy changed{&alpha, &LabelledSlider::valueChanged};

    LabelledSliderTest() {
        alpha.resize(240, 60);
        alpha.setValue(1);
        alpha.show();
    }
    // Press on the handle, move over `values`, release.
    void drag(const std::vector<double>& values) {
        MarkSlider* slider = alpha.slider();
        const auto point = [&](double value) {
            return slider->handlePoint(slider->scale().positionOf(value));
        };
        QTest::mousePress(slider, Qt::LeftButton, {}, slider->handlePoint(slider->value()));
        for (const double value : values) QTest::mouseMove(slider, point(value));
        QTest::mouseRelease(slider, Qt::LeftButton, {}, point(values.back()));
    }
    std::set<int> gestures() const {
        std::set<int> found;
        for (const auto& arguments : changed) found.insert(arguments.at(1).toInt());
        return found;
    }
};

TEST_F(LabelledSliderTest, setting_a_value_says_nothing) {
    alpha.setValue(1.7);
    EXPECT_EQ(changed.count(), 0);
    EXPECT_EQ(alpha.box()->text(), QStringLiteral("1.70"));
}

TEST_F(LabelledSliderTest, a_drag_is_one_gesture_and_the_next_is_another) {
    drag({1.2, 1.4, 1.7, 2.3, 2.7});
    ASSERT_GE(changed.count(), 4);
    EXPECT_EQ(gestures().size(), 1U);
    EXPECT_NEAR(alpha.value(), 2.7, 0.05);
    drag({2.3, 1.8});
    EXPECT_EQ(gestures().size(), 2U);
}

TEST_F(LabelledSliderTest, a_drag_stops_at_a_mark) {
    drag({1.2, 2.004});
    EXPECT_EQ(alpha.value(), 2);
}

TEST_F(LabelledSliderTest, exact_values_beyond_the_slider_can_be_typed) {
    alpha.box()->setFocus();
    alpha.box()->selectAll();
    QTest::keyClicks(alpha.box(), QStringLiteral("7.123"));
    EXPECT_EQ(changed.count(), 0) << "a value counts when it is committed";
    QTest::keyClick(alpha.box(), Qt::Key_Return);
    EXPECT_EQ(alpha.value(), 7.123);
    EXPECT_EQ(alpha.slider()->value(), alpha.slider()->maximum());
    EXPECT_EQ(changed.count(), 1);
}

TEST_F(LabelledSliderTest, keys_move_the_slider_in_one_gesture) {
    alpha.slider()->setFocus();
    for (int press = 0; press < 5; ++press) QTest::keyClick(alpha.slider(), Qt::Key_Right);
    EXPECT_GT(alpha.value(), 1);
    EXPECT_EQ(gestures().size(), 1U);
}

TEST_F(LabelledSliderTest, is_named_for_screen_readers) {
    EXPECT_EQ(alpha.slider()->accessibleName(), QStringLiteral("Alpha"));
    EXPECT_FALSE(alpha.box()->accessibleName().isEmpty());
}

}  // namespace

}  // namespace fovea::widgets
