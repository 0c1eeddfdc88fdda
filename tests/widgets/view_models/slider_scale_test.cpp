// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/slider_scale.h"

#include <gtest/gtest.h>

#include <cmath>

namespace fovea::widgets {

namespace {

class SliderScales : public ::testing::TestWithParam<SliderScale (*)()> {};

TEST_P(SliderScales, marks_are_reached_exactly) {
    const SliderScale scale = GetParam()();
    for (const SliderMark& mark : scale.marks()) {
        EXPECT_EQ(scale.valueAt(scale.positionOf(mark.value)), mark.value) << mark.text.toStdString();
    }
}

TEST_P(SliderScales, values_never_fall_along_the_slider) {
    const SliderScale scale = GetParam()();
    for (int position = 1; position <= scale.steps(); ++position) {
        EXPECT_LE(scale.valueAt(position - 1), scale.valueAt(position)) << position;
    }
}

TEST_P(SliderScales, a_position_survives_the_way_to_its_value_and_back) {
    const SliderScale scale = GetParam()();
    for (int position = 0; position <= scale.steps(); ++position) {
        const double value = scale.valueAt(position);
        EXPECT_EQ(scale.valueAt(scale.positionOf(value)), value) << position;
    }
}

TEST_P(SliderScales, ends_of_the_slider_are_the_outer_marks_and_values_beyond_stay_there) {
    const SliderScale scale = GetParam()();
    EXPECT_EQ(scale.valueAt(0), scale.marks().front().value);
    EXPECT_EQ(scale.valueAt(scale.steps()), scale.marks().back().value);
    EXPECT_EQ(scale.positionOf(1e9), scale.steps());
    EXPECT_EQ(scale.positionOf(-1e9), 0);
    EXPECT_EQ(scale.valueAt(scale.steps() + 50), scale.marks().back().value);
}

INSTANTIATE_TEST_SUITE_P(both, SliderScales,
                         ::testing::Values(&SliderScale::alpha, &SliderScale::temperature));

TEST(SliderScale, alpha_may_be_typed_beyond_the_slider) {
    EXPECT_EQ(SliderScale::alpha().entryLow(), 1);
    EXPECT_EQ(SliderScale::alpha().entryHigh(), 10);
}

TEST(SliderScale, temperature_one_lies_in_the_middle_of_its_decades) {
    EXPECT_NEAR(SliderScale::temperature().fractionOf(1), 0.5, 1e-12);
}

}  // namespace

}  // namespace fovea::widgets
