// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/token_input.h"

#include <gtest/gtest.h>

#include <QPlainTextEdit>
#include <QTest>

namespace fovea::widgets {

namespace {

struct TokenInputTest : ::testing::Test {
    TokenInput input;
    std::vector<session::TextInput> asked;

    TokenInputTest() {
        QObject::connect(&input, &TokenInput::runRequested, &input,
                         [this](const session::TextInput& text) { asked.push_back(text); });
        input.show();
    }
};

TEST_F(TokenInputTest, showing_a_text_asks_for_nothing) {
    input.setInput({"one two", std::nullopt});
    QTest::qWait(900);
    EXPECT_TRUE(asked.empty());
}

TEST_F(TokenInputTest, control_return_runs_at_once) {
    input.setInput({"one", std::nullopt});
    QTest::keyClick(input.editor(), Qt::Key_End, Qt::ControlModifier);
    QTest::keyClicks(input.editor(), QStringLiteral(" two"));
    QTest::keyClick(input.editor(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked.back().text, "one two");
}

TEST_F(TokenInputTest, a_pause_in_typing_runs_once) {
    QTest::keyClicks(input.editor(), QStringLiteral("one two"));
    QTest::qWait(1200);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked.back().text, "one two");
}

TEST_F(TokenInputTest, a_second_text_counts_only_where_the_model_reads_pairs) {
    input.setPairAllowed(true);
    input.setInput({"one", "two"});
    EXPECT_EQ(input.input().pair, "two");
    input.setPairAllowed(false);
    EXPECT_FALSE(input.input().pair.has_value());
}

TEST_F(TokenInputTest, tab_leaves_the_editor) {
    EXPECT_TRUE(input.editor()->tabChangesFocus());
}

}  // namespace

}  // namespace fovea::widgets
