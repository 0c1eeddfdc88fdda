// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/token_input.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTimer>

#include "widgets/views/generation_controls.h"
#include "widgets/views/token_menu.h"

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

TEST_F(TokenInputTest, a_target_and_settings_count_only_where_the_model_writes) {
    session::TextInput given{"one", std::nullopt};
    given.target = "uno";
    given.generation = {
        .newTokens = 7, .sample = true, .temperature = 0.6, .topK = 40, .topP = 0.9, .seed = 11};
    input.setWriting(TokenInput::Writing::Answer, 63);
    input.setInput(given);
    EXPECT_EQ(input.input(), given);
    EXPECT_TRUE(input.targetEditor()->isVisible());
    input.setWriting(TokenInput::Writing::Continuation, 63);
    EXPECT_FALSE(input.targetEditor()->isVisible());
    EXPECT_FALSE(input.input().target);
    EXPECT_EQ(input.input().generation, given.generation);
    input.setWriting(TokenInput::Writing::None, 0);
    EXPECT_FALSE(input.generation()->isVisible());
    EXPECT_EQ(input.input().generation, GenerationSettings{});
}

TEST_F(TokenInputTest, settings_beyond_what_the_boxes_hold_stay_as_they_were_given) {
    input.setWriting(TokenInput::Writing::Continuation, 0);
    session::TextInput given{"one", std::nullopt};
    given.generation.seed = ~std::uint64_t{0};
    given.generation.topP = 0.123456789;
    input.setInput(given);
    EXPECT_EQ(input.input(), given);
}

TEST_F(TokenInputTest, the_button_writes_at_once_and_leaves_the_writing_to_the_model) {
    input.setWriting(TokenInput::Writing::Answer, 63);
    session::TextInput given{"one", std::nullopt};
    given.target = "uno";
    input.setInput(given);
    QTest::mouseClick(input.generation()->writeButton(), Qt::LeftButton);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_FALSE(asked.back().target);
    input.setWriting(TokenInput::Writing::Continuation, 12);
    QTest::mouseClick(input.generation()->writeButton(), Qt::LeftButton);
    ASSERT_EQ(asked.size(), 2U);
    EXPECT_EQ(asked.back().generation.newTokens, 12U) << "as many as there are positions";
}

TEST_F(TokenInputTest, how_tokens_are_sampled_is_asked_only_when_they_are) {
    input.setWriting(TokenInput::Writing::Continuation, 0);
    auto* choice = input.generation()->findChild<QComboBox*>();
    ASSERT_NE(choice, nullptr);
    const auto numbers = input.generation()->findChildren<QDoubleSpinBox*>();
    ASSERT_EQ(numbers.size(), 2);
    EXPECT_FALSE(numbers.front()->isVisible());
    choice->setCurrentIndex(1);
    EXPECT_TRUE(numbers.front()->isVisible());
    QTest::qWait(900);
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked.back().generation.sample);
}

const std::vector<session::InsertableToken> someTokens{{"[MASK]", "mask: a token to be guessed", true},
                                                       {"[SEP]", "separator", true},
                                                       {"<added>", "", false}};

// Opens the menu with the keyboard and takes its entry `steps` below the first.
void pickToken(TokenInput& input, int steps) {
    QTimer::singleShot(0, [steps] {
        QWidget* menu = QApplication::activePopupWidget();
        ASSERT_NE(menu, nullptr);
        for (int step = 0; step <= steps; ++step) QTest::keyClick(menu, Qt::Key_Down);
        QTest::keyClick(menu, Qt::Key_Return);
    });
    input.tokenMenu()->setFocus(Qt::TabFocusReason);
    QTest::keyClick(input.tokenMenu(), Qt::Key_Space);
}

TEST_F(TokenInputTest, special_tokens_are_offered_only_where_there_are_some) {
    EXPECT_FALSE(input.tokenMenu()->isVisible());
    input.setSpecialTokens(someTokens);
    EXPECT_TRUE(input.tokenMenu()->isVisible());
    EXPECT_FALSE(input.tokenMenu()->accessibleName().isEmpty());
    const auto actions = input.tokenMenu()->menu()->actions();
    ASSERT_EQ(actions.size(), 3);
    EXPECT_TRUE(actions.front()->text().contains(QStringLiteral("a token to be guessed")));
    EXPECT_TRUE(actions.back()->text().contains(QStringLiteral("added token")));
    input.setSpecialTokens({});
    EXPECT_FALSE(input.tokenMenu()->isVisible());
}

TEST_F(TokenInputTest, a_token_is_inserted_at_the_cursor_and_undo_takes_it_away) {
    input.setSpecialTokens(someTokens);
    input.setInput({"one two", std::nullopt});
    QTest::keyClick(input.editor(), Qt::Key_Home, Qt::ControlModifier);
    for (int i = 0; i < 4; ++i) QTest::keyClick(input.editor(), Qt::Key_Right);
    pickToken(input, 0);
    EXPECT_EQ(input.input().text, "one [MASK]two");
    QTest::keyClick(input.editor(), Qt::Key_Z, Qt::ControlModifier);
    EXPECT_EQ(input.input().text, "one two");
}

TEST_F(TokenInputTest, a_token_goes_where_something_was_written_last) {
    input.setSpecialTokens(someTokens);
    input.setPairAllowed(true);
    input.setInput({"one", "two"});
    input.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&input));
    input.pairEditor()->setFocus();
    pickToken(input, 1);
    EXPECT_EQ(input.input().pair, "[SEP]two");
    EXPECT_EQ(input.input().text, "one");
    input.setPairAllowed(false);
    pickToken(input, 2);
    EXPECT_EQ(input.input().text, "<added>one") << "a text that is not shown takes nothing";
}

TEST_F(TokenInputTest, hundreds_of_tokens_do_not_fill_the_menu) {
    std::vector<session::InsertableToken> many;
    for (int i = 0; i < 300; ++i) many.push_back({"<extra_id_" + std::to_string(i) + ">", "", true});
    input.setSpecialTokens(many);
    EXPECT_LE(input.tokenMenu()->menu()->actions().size(), 18);
    EXPECT_EQ(input.tokenMenu()->contents().size(), 300);
}

TEST_F(TokenInputTest, tab_leaves_the_editor) {
    EXPECT_TRUE(input.editor()->tabChangesFocus());
}

}  // namespace

}  // namespace fovea::widgets
