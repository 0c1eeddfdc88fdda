// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/answer_outputs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace fovea::session {
namespace {

constexpr float never = -100;

float logitOf(double probability) {
    return probability > 0 ? static_cast<float>(std::log(probability)) : never;
}

// Logits whose softmax are these probabilities, of a pair "[CLS] who [SEP] an old man [SEP]".
Trace pairOf(const std::vector<double>& start, const std::vector<double>& end) {
    Trace trace = test::traceOfScores({test::variedScores(7, 7, 1)});
    const char* words[] = {"[CLS]", "who", "[SEP]", "an", "old", "man", "[SEP]"};
    for (std::size_t i = 0; i < 7; ++i) {
        TokenLabel& label = trace.tokens[i];
        label.text = words[i];
        label.special = i == 0 || i == 2 || i == 6;
        label.sequence = label.special ? -1 : i == 1 ? 0 : 1;
        label.spaceBefore = i > 3;
    }
    trace.outputs = {{"start_logits", {7}, {}}, {"end_logits", {7}, {}}};
    for (const double probability : start) trace.outputs[0].values.push_back(logitOf(probability));
    for (const double probability : end) trace.outputs[1].values.push_back(logitOf(probability));
    return trace;
}

OutputComparison compare(const Trace& own, const Trace& changed, std::size_t limit = 6) {
    ModelInfo model;
    model.outputs = {"start_logits", "end_logits"};
    return compareOutputs(model, nullptr, own, changed, QueryIndex(0), limit);
}

TEST(CompareAnswers, give_the_most_probable_answers_of_either_run_with_their_ends) {
    const Trace own = pairOf({0, 0, 0, 0.8, 0.2, 0, 0}, {0, 0, 0, 0, 0.1, 0.9, 0});
    const Trace changed = pairOf({0, 0, 0, 0.3, 0.7, 0, 0}, {0, 0, 0, 0, 0.6, 0.4, 0});
    const auto comparison = compare(own, changed);
    EXPECT_EQ(comparison.title, "answer");
    EXPECT_EQ(comparison.unit, "probability");
    ASSERT_EQ(comparison.lines.size(), 6U);
    const OutputLine expected[] = {{"“an old man”", 0.72, 0.12}, {"starts at “an”", 0.8, 0.3},
                                   {"ends at “man”", 0.9, 0.4},   {"“old”", 0.02, 0.42},
                                   {"starts at “old”", 0.2, 0.7}, {"ends at “old”", 0.1, 0.6}};
    for (std::size_t i = 0; i < 6; ++i) {
        EXPECT_EQ(comparison.lines[i].label, expected[i].label);
        EXPECT_NEAR(comparison.lines[i].before, expected[i].before, 1e-6) << expected[i].label;
        EXPECT_NEAR(comparison.lines[i].after, expected[i].after, 1e-6) << expected[i].label;
    }
    EXPECT_GT(comparison.divergence, 0.0);
    EXPECT_EQ(compare(own, changed, 2).lines.size(), 2U);
}

TEST(CompareAnswers, of_the_same_run_stand_once_and_show_no_change) {
    const Trace own = pairOf({0, 0, 0, 0.8, 0.2, 0, 0}, {0, 0, 0, 0, 0.1, 0.9, 0});
    const auto comparison = compare(own, own);
    ASSERT_EQ(comparison.lines.size(), 3U);
    for (const OutputLine& line : comparison.lines) EXPECT_EQ(line.before, line.after) << line.label;
    EXPECT_EQ(comparison.divergence, 0.0);
    EXPECT_FALSE(comparison.compared);
}

TEST(CompareAnswers, lie_in_the_second_text_and_end_after_they_start) {
    // The question and an end before the start are more probable than any answer.
    const Trace own = pairOf({0, 0.5, 0, 0, 0.1, 0.4, 0}, {0, 0.4, 0, 0.5, 0, 0.1, 0});
    const auto comparison = compare(own, own);
    ASSERT_FALSE(comparison.lines.empty());
    EXPECT_EQ(comparison.lines[0].label, "“man”");
    EXPECT_NEAR(comparison.lines[0].before, 0.04, 1e-6);
}

TEST(CompareAnswers, may_be_that_there_is_none) {
    const Trace own = pairOf({0.9, 0, 0, 0.1, 0, 0, 0}, {0.8, 0, 0, 0, 0, 0.2, 0});
    const auto comparison = compare(own, own);
    ASSERT_EQ(comparison.lines.size(), 1U);
    EXPECT_EQ(comparison.lines[0].label, "no answer");
    EXPECT_NEAR(comparison.lines[0].before, 0.72, 1e-6);
}

TEST(CompareAnswers, padding_takes_no_part) {
    Trace own = pairOf({0, 0, 0, 0.1, 0, 0, 0.9}, {0, 0, 0, 0.1, 0, 0, 0.9});
    own.tokens[6].padding = true;
    const auto comparison = compare(own, own);
    ASSERT_FALSE(comparison.lines.empty());
    EXPECT_EQ(comparison.lines[0].label, "“an”");
    EXPECT_NEAR(comparison.lines[0].before, 1.0, 1e-6);
}

TEST(CompareAnswers, of_numbers_that_are_none_are_not_made_up) {
    const Trace own = pairOf({0, 0, 0, 0.8, 0.2, 0, 0}, {0, 0, 0, 0, 0.1, 0.9, 0});
    Trace broken = own;
    broken.outputs[0].values[3] = std::nanf("");
    broken.outputs[1].values[3] = std::nanf("");
    const auto comparison = compare(own, broken);
    ASSERT_EQ(comparison.lines.size(), 3U);
    EXPECT_TRUE(std::isnan(comparison.lines[0].after));
    EXPECT_TRUE(compare(broken, broken).lines.empty());
}

}  // namespace
}  // namespace fovea::session
