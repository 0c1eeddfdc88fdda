// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/label_scores.h"

#include <gtest/gtest.h>

namespace fovea::test {
namespace {

using training::LabelScores;

/// Four pictures, two labels: right, one false alarm, one miss, right.
LabelScores example() {
    LabelScores scores({"bag", "coat"});
    scores.add({true, false}, {true, false});
    scores.add({true, true}, {true, false});
    scores.add({false, false}, {false, true});
    scores.add({true, true}, {true, true});
    return scores;
}

TEST(LabelScores, count_pictures_and_labels_that_are_right) {
    EXPECT_EQ(example().pictures(), 4u);
    EXPECT_DOUBLE_EQ(example().exactMatch(), 0.5);
    EXPECT_DOUBLE_EQ(example().labelAccuracy(), 0.75);
}

TEST(LabelScores, give_f1_by_label_and_its_mean) {
    EXPECT_DOUBLE_EQ(example().f1(0), 1);
    EXPECT_DOUBLE_EQ(example().f1(1), 0.5);
    EXPECT_DOUBLE_EQ(example().meanF1(), 0.75);
}

TEST(LabelScores, say_what_a_constant_answer_reaches) {
    EXPECT_DOUBLE_EQ(example().constantExactMatch(), 0.5);
    EXPECT_DOUBLE_EQ(example().constantLabelAccuracy(), 5.0 / 8);
}

TEST(LabelScores, are_zero_where_nothing_was_counted) {
    const LabelScores none({"bag"});
    for (const TrainingMeasure& measure : none.measures("test")) EXPECT_EQ(measure.value, 0) << measure.name;
}

TEST(LabelScores, are_named_with_their_part) {
    const auto measures = example().measures("test");
    EXPECT_EQ(measures.front().name, "exact match, test");
    EXPECT_EQ(measures.back().name, "F1 of coat, test");
}

}  // namespace
}  // namespace fovea::test
