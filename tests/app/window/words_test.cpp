// SPDX-License-Identifier: GPL-3.0-or-later
// Tokens grouped into words in the window on the bundled model, through its events.
#include <QLabel>
#include <QTest>
#include <QToolTip>
#include <QUndoStack>
#include <filesystem>
#include <numeric>

#include "app/window/actions.h"
#include "app/window/error_dialog.h"
#include "app/window/panels_page.h"
#include "tests/app/window/window_fixture.h"
#include "widgets/painters/legend.h"
#include "widgets/view_models/panel_axes.h"
#include "widgets/view_models/panel_evaluation.h"
#include "widgets/view_models/panel_words.h"

namespace fovea::app {

namespace {

struct WordsInWindow : ::testing::Test {
    test::TemporaryFolder settingsFolder;
    std::unique_ptr<MainWindow> window;

    void SetUp() override {
        isolateSettings(settingsFolder.path());
        window = std::make_unique<MainWindow>();
        window->show();
        window->open(std::filesystem::path(FOVEA_SOURCE_DIR) / "resources/samples/glassllm-en");
        ASSERT_TRUE(settle()) << window->errors()->messages().join('\n').toStdString();
        bench().setText({"The unbelievable trophies wouldn't fit.", std::nullopt});
        ASSERT_TRUE(test::waitFor([&] { return settled() && text() != std::string::npos; }));
    }
    Workbench& bench() { return window->workbench(); }
    bool settled() { return bench().run() != nullptr && bench().settled(); }
    bool settle() {
        return test::waitFor([this] { return settled(); });
    }
    std::size_t text() { return bench().run()->input.text.text.find("unbelievable"); }
    widgets::PanelView* view(std::size_t panel) { return window->panels()->card(panel)->view(); }
    const widgets::PanelPicture& picture(std::size_t panel) { return view(panel)->picture(); }
    QueryIndex query(std::size_t panel) { return bench().state().panels.at(panel).selection.query; }
    void group() {
        QTest::keyClick(window.get(), Qt::Key_W, Qt::ControlModifier | Qt::AltModifier);
        ASSERT_TRUE(settle());
    }
    void click(std::size_t panel, std::size_t index, Qt::KeyboardModifiers modifiers = {}) {
        const QPoint at = view(panel)->viewportBoxOf(index).center().toPoint();
        QTest::mouseClick(view(panel)->viewport(), Qt::LeftButton, modifiers, at);
        ASSERT_TRUE(settle());
    }
    /// A word of several tokens.
    std::size_t longWord() {
        const auto& groups = picture(0).words->axes.keys;
        for (std::size_t word = 0; word < groups.count(); ++word) {
            if (groups.sizeOf(word) > 1) return word;
        }
        return groups.count();
    }
};

TEST_F(WordsInWindow, a_shortcut_groups_both_panels_and_undo_brings_the_tokens_back) {
    const QueryIndex before = query(0);
    const std::vector<double> weights = picture(0).row->weights;
    ASSERT_TRUE(window->actions().groupWords->isEnabled());
    group();
    EXPECT_TRUE(window->actions().groupWords->isChecked());
    for (std::size_t panel = 0; panel < 2; ++panel) {
        ASSERT_NE(picture(panel).words, nullptr);
        EXPECT_NEAR(picture(panel).row->rowSum, 1, 1e-9);
        EXPECT_EQ(picture(panel).row->weights.size(), widgets::keyTokens(picture(panel)).size());
        EXPECT_LT(picture(panel).row->weights.size(), weights.size());
    }
    const auto labels = widgets::keyTokens(picture(0));
    EXPECT_TRUE(std::ranges::any_of(labels, [](const auto& l) { return l.text == "unbelievable"; }));
    EXPECT_TRUE(std::ranges::any_of(labels, [](const auto& l) { return l.text == "wouldn't"; }));
    EXPECT_EQ(query(0), before);
    bench().document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(window->actions().groupWords->isChecked());
    EXPECT_EQ(picture(0).words, nullptr);
    EXPECT_EQ(picture(0).row->weights, weights);
    EXPECT_EQ(query(0), before);
}

TEST_F(WordsInWindow, a_reader_is_told_by_the_place_and_by_the_legend) {
    EXPECT_FALSE(picture(0).place.contains(QStringLiteral("words")));
    group();
    EXPECT_TRUE(picture(0).place.endsWith(QStringLiteral("· words")));
    const auto legend = widgets::LegendContent::of({&picture(0), 1});
    EXPECT_TRUE(legend.notes.contains(QStringLiteral("words: sum over keys, mean over queries")));
}

TEST_F(WordsInWindow, a_click_asks_from_a_word_and_any_of_its_tokens_stands_for_it) {
    group();
    const std::size_t word = longWord();
    const auto& groups = picture(0).words->axes.queries;
    ASSERT_LT(word, groups.count());
    const std::size_t first = groups.firstOf(word);
    click(0, word);
    EXPECT_EQ(query(0), QueryIndex(first));
    EXPECT_EQ(picture(0).state.selection.query, QueryIndex(word));
    const std::vector<double> weights = picture(0).row->weights;
    bench().pickQuery(0, QueryIndex(first + 1));
    ASSERT_TRUE(settle());
    EXPECT_EQ(picture(0).row->weights, weights);
    group();  // off again: the same token
    EXPECT_EQ(query(0), QueryIndex(first + 1));
    EXPECT_EQ(picture(0).state.selection.query, QueryIndex(first + 1));
}

TEST_F(WordsInWindow, shift_and_a_click_adds_a_word_and_takes_it_out) {
    group();
    const std::size_t word = longWord();
    click(0, 0);
    click(0, word, Qt::ShiftModifier);
    EXPECT_EQ(picture(0).state.selection.more, std::vector<QueryIndex>{QueryIndex(word)});
    click(0, word, Qt::ShiftModifier);
    EXPECT_TRUE(picture(0).state.selection.more.empty());
}

TEST_F(WordsInWindow, arrow_keys_step_by_words) {
    group();
    const std::size_t word = longWord();
    click(0, word);
    QTest::keyClick(view(0), Qt::Key_Right);
    ASSERT_TRUE(settle());
    EXPECT_EQ(picture(0).state.selection.query, QueryIndex(word + 1));
    QTest::keyClick(view(0), Qt::Key_Left);
    ASSERT_TRUE(settle());
    EXPECT_EQ(picture(0).state.selection.query, QueryIndex(word));
}

TEST_F(WordsInWindow, hovering_a_word_shows_its_tokens_with_their_weights) {
    group();
    const std::size_t word = longWord();
    const widgets::TokenRange range = widgets::tokensOfKey(picture(0), word);
    for (const auto view : {session::View::Text, session::View::Matrix}) {
        bench().activate(0);
        bench().setView(view);
        ASSERT_TRUE(settle());
        const std::size_t query = picture(0).state.selection.query.value;
        const QString text = widgets::hoverText(picture(0), {QueryIndex(query), KeyIndex(word)});
        for (std::size_t token = range.first; token < range.past; ++token) {
            const TokenLabel& label = picture(0).words->tokens->tokens.at(token);
            EXPECT_TRUE(text.contains(QString::fromStdString(label.piece))) << text.toStdString();
        }
        EXPECT_TRUE(text.contains(QStringLiteral(" + "))) << text.toStdString();
    }
    const std::vector<double> weights = widgets::tokenWeights(picture(0), 0);
    ASSERT_EQ(weights.size(), picture(0).words->tokens->tokens.size());
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-9);
}

TEST_F(WordsInWindow, unlinked_panels_are_grouped_one_by_one) {
    bench().setLinked(false);
    bench().activate(0);
    group();
    EXPECT_NE(picture(0).words, nullptr);
    EXPECT_EQ(picture(1).words, nullptr);
    const auto across = bench().hitAcross(0, 1, widgets::PanelHit{std::nullopt, KeyIndex(longWord())});
    ASSERT_TRUE(across && across->key);
    EXPECT_EQ(across->key->value, widgets::tokensOfKey(picture(0), longWord()).first);
    const auto back = bench().hitAcross(1, 0, across);
    EXPECT_EQ(back->key, KeyIndex(longWord()));
    bench().setLinked(true);
    ASSERT_TRUE(settle());
    EXPECT_NE(picture(1).words, nullptr);
}

TEST_F(WordsInWindow, what_is_exported_is_what_is_shown) {
    group();
    for (const auto view : {session::View::Text, session::View::Matrix, session::View::Density}) {
        bench().setView(view);
        ASSERT_TRUE(settle());
        const std::size_t active = bench().activePanel();
        const auto exported = widgets::evaluatedPanel(*bench().run(), bench().state().panels.at(active),
                                                      picture(active).letter, {});
        ASSERT_TRUE(exported) << exported.error().message;
        EXPECT_EQ(exported->row->weights, picture(active).row->weights);
        EXPECT_EQ(exported->state, picture(active).state);
        EXPECT_EQ(exported->place, picture(active).place);
        ASSERT_EQ(exported->matrix != nullptr, picture(active).matrix != nullptr);
        if (!exported->matrix) continue;
        EXPECT_EQ(exported->matrix->weights, picture(active).matrix->weights);
    }
}

TEST_F(WordsInWindow, matrices_of_tokens_and_of_words_are_told_apart) {
    bench().activate(0);
    bench().setView(session::View::Matrix);
    ASSERT_TRUE(settle());
    const std::size_t tokens = picture(0).matrix->keys;
    group();
    EXPECT_EQ(picture(0).matrix->keys, picture(0).words->axes.keys.count());
    EXPECT_LT(picture(0).matrix->keys, tokens);
    group();
    EXPECT_EQ(picture(0).matrix->keys, tokens);
}

TEST_F(WindowFixture, a_picture_has_no_words_and_the_action_says_so) {
    behaviour->readsPictures = true;
    window->open("/synthetic");
    ASSERT_TRUE(settle());
    const QAction* action = window->actions().groupWords;
    EXPECT_FALSE(action->isEnabled());
    EXPECT_TRUE(action->toolTip().contains(QStringLiteral("no words"))) << action->toolTip().toStdString();
    EXPECT_EQ(action->toolTip(), action->statusTip());
}

}  // namespace

}  // namespace fovea::app
