// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/outputs_view.h"

#include <gtest/gtest.h>

#include <limits>

namespace fovea::widgets {

namespace {

TEST(OutputsView, copies_every_line_with_both_numbers) {
    OutputsView view;
    auto outputs = std::make_shared<session::OutputComparison>();
    outputs->title = "class probabilities";
    outputs->lines = {{"yes", 0.25, 0.75}, {"no", 0.75, 0.25}};
    view.setOutputs(outputs, QStringLiteral("B"), QStringLiteral("1.5-entmax"));
    const QString text = view.copyText();
    EXPECT_TRUE(text.contains(QStringLiteral("yes\t0.25\t0.75")));
    EXPECT_TRUE(text.contains(QStringLiteral("what-if of B: 1.5-entmax")));
}

TEST(OutputsView, paints_nothing_numbers_and_what_is_no_number) {
    OutputsView view;
    view.resize(500, 120);
    EXPECT_FALSE(view.grab().isNull());
    auto outputs = std::make_shared<session::OutputComparison>();
    outputs->lines = {
        {"a label that is far too long for its column in every window", -0.5, 0.5},
        {"broken", std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}};
    view.setOutputs(outputs, QStringLiteral("B"), QStringLiteral("softmax"));
    EXPECT_FALSE(view.grab().isNull());
    EXPECT_GT(view.sizeHint().height(), 60);
}

TEST(OutputsView, of_one_run_alone_there_is_one_number_and_what_was_written_is_marked) {
    OutputsView view;
    auto outputs = std::make_shared<session::OutputComparison>();
    outputs->title = "next token after “so”";
    outputs->compared = false;
    outputs->lines = {{"much", 0.75, 0.75, true}, {"many", 0.25, 0.25}};
    view.setOutputs(outputs, QStringLiteral("A"), QStringLiteral("softmax"));
    const QString text = view.copyText();
    EXPECT_TRUE(text.contains(QStringLiteral("much\t0.75\twritten\n")));
    EXPECT_TRUE(text.contains(QStringLiteral("many\t0.25\n")));
    EXPECT_FALSE(text.contains(QStringLiteral("what-if")));
}

TEST(OutputsView, answers_take_room_and_say_when_they_are_the_same) {
    OutputsView view;
    view.resize(420, 300);
    auto outputs = std::make_shared<session::OutputComparison>();
    outputs->lines = {{"much", 0.5, 0.25}};
    view.setOutputs(outputs, QStringLiteral("B"), QStringLiteral("1.5-entmax"));
    const int without = view.sizeHint().height();
    view.setAnswers({QStringLiteral("a cat"), QStringLiteral("a"), true});
    EXPECT_GT(view.sizeHint().height(), without);
    EXPECT_TRUE(view.copyText().contains(QStringLiteral("would write\ta …")));
    const QImage writing = view.grab().toImage();
    view.setAnswers({QStringLiteral("a cat"), QStringLiteral("a cat"), false});
    EXPECT_TRUE(view.copyText().contains(QStringLiteral("would write\tthe same")));
    EXPECT_NE(view.grab().toImage(), writing);
    view.setAnswers({QStringLiteral("a cat"), QStringLiteral("a dog"), false});
    EXPECT_TRUE(view.copyText().contains(QStringLiteral("wrote\ta cat\nwould write\ta dog")));
    // Long answers are cut, not spilled.
    view.setAnswers({QString(4000, QLatin1Char('a')), std::nullopt, false});
    EXPECT_LT(view.sizeHint().height(), without + 120);
}

}  // namespace

}  // namespace fovea::widgets
