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

}  // namespace

}  // namespace fovea::widgets
