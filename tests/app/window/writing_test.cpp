// SPDX-License-Identifier: GPL-3.0-or-later
// Models that write: two lanes, stepping along what was written, and what a mechanism would have changed.
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>

#include "app/window/error_dialog.h"
#include "app/window/model_dock.h"
#include "app/window/outputs_dock.h"
#include "app/window/panels_page.h"
#include "core/session/query_choice.h"
#include "tests/app/window/window_fixture.h"
#include "widgets/views/generation_controls.h"
#include "widgets/views/head_tree.h"
#include "widgets/views/outputs_view.h"
#include "widgets/views/token_input.h"
#include "widgets/views/written_stepper.h"

namespace fovea::app {

namespace {

struct WritingTest : WindowFixture {
    void openWriting(bool twoStacks, std::size_t newTokens) {
        behaviour->writes = true;
        behaviour->twoStacks = twoStacks;
        openSynthetic();
        session::TextInput input{"one two three four five six seven", std::nullopt};
        input.generation.newTokens = newTokens;
        window->workbench().setText(input);
        ASSERT_TRUE(settle());
    }
    const Trace& trace() { return *window->workbench().run()->own; }
    const session::Selection& selection() { return panelState(0).selection; }
    void pick(std::size_t site, std::size_t head = 0) {
        window->workbench().pickHead(SiteIndex(site), HeadIndex(head));
        ASSERT_TRUE(settle());
    }
    void click(QRectF box, Qt::KeyboardModifiers modifiers = {}) {
        QTest::mouseClick(view(0)->viewport(), Qt::LeftButton, modifiers, box.center().toPoint());
        ASSERT_TRUE(settle());
    }
    void undo() {
        window->workbench().document().undoStack().undo();
        ASSERT_TRUE(settle());
    }
    widgets::OutputsView* outputs() { return window->outputsDock()->view(); }
    widgets::GenerationControls* controls() { return window->modelDock()->input()->generation(); }
    template <class Widget>
    Widget* control(const char* name) {
        for (auto* widget : controls()->findChildren<Widget*>()) {
            if (widget->accessibleName() == QLatin1String(name)) return widget;
        }
        return nullptr;
    }
};

constexpr std::size_t encoder = 0;
constexpr std::size_t decoder = 2;
constexpr std::size_t cross = 4;

}  // namespace

TEST_F(WritingTest, a_click_in_the_target_picks_the_query_and_one_in_the_source_does_not) {
    openWriting(true, 5);
    pick(cross);
    ASSERT_EQ(trace().targetTokens.size(), 6U);
    click(view(0)->viewportQueryBoxOf(3));
    EXPECT_EQ(selection().query, QueryIndex(3));
    click(view(0)->viewportBoxOf(5));
    EXPECT_EQ(selection().query, QueryIndex(3)) << "a key of another text is no query";
    click(view(0)->viewportQueryBoxOf(1), Qt::ShiftModifier);
    EXPECT_EQ(selection().more, std::vector{QueryIndex(1)});
    EXPECT_EQ(view(0)->picture().row->weights.size(), 7U);
    QTest::keyClick(view(0), Qt::Key_Right);
    ASSERT_TRUE(settle());
    EXPECT_EQ(selection().query, QueryIndex(4));
}

TEST_F(WritingTest, an_answer_is_first_looked_at_where_it_asks_the_source) {
    behaviour->twoStacks = true;
    openSynthetic();
    EXPECT_EQ(selection().site, SiteIndex(cross));
    EXPECT_GT(session::writtenSteps(trace()).count(), 0U) << "it writes without being asked";
}

TEST_F(WritingTest, layers_are_stepped_across_stacks_and_keep_a_sensible_query) {
    openWriting(true, 3);
    pick(encoder);
    window->workbench().pickQuery(0, QueryIndex(6));
    ASSERT_TRUE(settle());
    std::vector<std::size_t> seen;
    for (int step = 0; step < 6; ++step) {
        const std::size_t site = selection().site.value;
        seen.push_back(site);
        const ScoreSource& scores = *trace().records[site].scores;
        EXPECT_LT(selection().query.value, scores.queries());
        const QueryIndex firstWritten(1), kept(6);
        EXPECT_EQ(selection().query, site >= decoder ? firstWritten : kept);
        EXPECT_NE(view(0)->picture().row, nullptr);
        QTest::keyClick(view(0), Qt::Key_PageDown);
        ASSERT_TRUE(settle());
    }
    EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3, 4, 5}));
    for (const std::size_t site : {std::size_t{0}, decoder, cross}) {
        pick(site);
        const QModelIndex index = window->modelDock()->tree()->currentIndex();
        EXPECT_EQ(index.data(widgets::ModelTreeModel::SiteRole).toULongLong(), site);
    }
}

TEST_F(WritingTest, a_decoder_writes_when_it_is_asked_to_and_undo_takes_it_back) {
    openWriting(false, 0);
    EXPECT_TRUE(controls()->isVisible());
    EXPECT_FALSE(window->modelDock()->input()->targetEditor()->isVisible());
    EXPECT_EQ(trace().tokens.size(), 7U);
    EXPECT_FALSE(window->outputsDock()->isVisible());
    EXPECT_FALSE(window->actions().nextWritten->isEnabled());
    QSpinBox* count = control<QSpinBox>("New tokens");
    ASSERT_NE(count, nullptr);
    EXPECT_EQ(count->value(), 0);
    QTest::mouseClick(controls()->writeButton(), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_EQ(count->value(), 20);
    ASSERT_EQ(trace().tokens.size(), 27U);
    for (std::size_t i = 0; i < 27; ++i) EXPECT_EQ(trace().tokens[i].generated, i >= 7);
    EXPECT_TRUE(window->outputsDock()->isVisible());
    EXPECT_FALSE(outputs()->answers().before.isEmpty());
    undo();
    EXPECT_EQ(trace().tokens.size(), 7U);
    EXPECT_EQ(count->value(), 0);
    EXPECT_FALSE(window->outputsDock()->isVisible());
}

TEST_F(WritingTest, steps_go_along_what_was_written_and_tell_what_it_was_chosen_from) {
    openWriting(true, 4);
    pick(encoder);
    ASSERT_TRUE(window->actions().nextWritten->isEnabled());
    for (std::size_t step = 0; step < 4; ++step) {
        window->actions().nextWritten->trigger();
        ASSERT_TRUE(settle());
        EXPECT_EQ(selection().site, SiteIndex(cross)) << "an encoder writes nothing";
        EXPECT_EQ(selection().query, QueryIndex(step));
        const auto& shown = *outputs()->outputs();
        EXPECT_FALSE(shown.compared);
        const auto written = std::ranges::find_if(shown.lines, &session::OutputLine::written);
        ASSERT_NE(written, shown.lines.end());
        const TokenLabel& next = trace().targetTokens[step + 1];
        EXPECT_EQ(written->label, (next.spaceBefore ? "␣" : "") + next.text);
        const QString words = window->outputsDock()->stepper()->text();
        EXPECT_TRUE(words.contains(QStringLiteral("step %1 of 4").arg(step + 1))) << words.toStdString();
    }
    window->actions().nextWritten->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(selection().query, QueryIndex(3)) << "it stops at the end";
    window->actions().previousWritten->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(selection().query, QueryIndex(2));
    undo();
    EXPECT_EQ(selection().site, SiteIndex(encoder)) << "steps that follow each other are one";
}

TEST_F(WritingTest, a_given_target_is_read_and_nothing_is_written) {
    openWriting(true, 4);
    QPlainTextEdit* target = window->modelDock()->input()->targetEditor();
    ASSERT_TRUE(target->isVisible());
    target->setPlainText(QStringLiteral("uno due tre"));
    QTest::keyClick(target, Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(settle());
    ASSERT_EQ(trace().targetTokens.size(), 4U);
    EXPECT_EQ(trace().targetTokens[1].text, "uno");
    EXPECT_EQ(session::writtenSteps(trace()).count(), 0U);
    EXPECT_EQ(panelState(0).selection.site, SiteIndex(cross));
    undo();
    EXPECT_EQ(trace().targetTokens.size(), 5U);
    EXPECT_TRUE(target->toPlainText().isEmpty());
}

TEST_F(WritingTest, with_a_mechanism_inside_it_is_written_again) {
    openWriting(true, 6);
    session::MechanismChoice mechanism = panelState(1).mechanism;
    mechanism.insideModel = true;
    window->workbench().activate(1);
    window->workbench().setMechanism(mechanism, QStringLiteral("inside"), -1);
    const auto& rewritten = window->outputsDock()->rewritten();
    const auto done = [&] {
        return rewritten.text() && !rewritten.text()->isEmpty() && !rewritten.writing();
    };
    ASSERT_TRUE(settle());
    ASSERT_TRUE(test::waitFor(done));
    EXPECT_EQ(outputs()->answers().before, window->workbench().run()->answer());
    EXPECT_EQ(outputs()->answers().after, rewritten.text());
    EXPECT_NE(*outputs()->answers().after, outputs()->answers().before);
    EXPECT_TRUE(outputs()->copyText().contains(*rewritten.text()));
    // Softmax itself inside writes what was written.
    mechanism.weights = {};
    window->workbench().setMechanism(mechanism, QStringLiteral("softmax"), -1);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(test::waitFor([&] { return done() && *rewritten.text() == outputs()->answers().before; }));
    mechanism.insideModel = false;
    window->workbench().setMechanism(mechanism, QStringLiteral("outside"), -1);
    ASSERT_TRUE(settle());
    EXPECT_FALSE(outputs()->answers().after);
}

TEST_F(WritingTest, the_newest_mechanism_is_the_one_that_writes) {
    openWriting(true, 12);
    behaviour->tokenTime = std::chrono::milliseconds(15);
    session::MechanismChoice mechanism = panelState(1).mechanism;
    mechanism.insideModel = true;
    window->workbench().activate(1);
    window->workbench().setMechanism(mechanism, QStringLiteral("inside"), -1);
    const auto& rewritten = window->outputsDock()->rewritten();
    ASSERT_TRUE(test::waitFor([&] { return rewritten.text() && !rewritten.text()->isEmpty(); }));
    EXPECT_TRUE(rewritten.writing()) << "tokens are told as they come";
    EXPECT_TRUE(window->workbench().settled()) << "the panels do not wait for it";
    const int stopped = behaviour->stopped;
    mechanism.weights.alpha = 3;
    window->workbench().setMechanism(mechanism, QStringLiteral("alpha"), -1);
    EXPECT_TRUE(rewritten.text()->isEmpty()) << "what another mechanism writes is forgotten at once";
    EXPECT_TRUE(rewritten.writing());
    const auto wanted = widgets::rewrittenAnswer(*window->workbench().run(), mechanism.weights, {}, {});
    ASSERT_TRUE(wanted);
    ASSERT_TRUE(test::waitFor([&] { return !rewritten.writing() && rewritten.text() == *wanted; }));
    EXPECT_GT(behaviour->stopped, stopped);
    behaviour->tokenTime = std::chrono::milliseconds(0);
}

TEST_F(WritingTest, cancelling_keeps_what_there_was) {
    openWriting(false, 2);
    ASSERT_EQ(trace().tokens.size(), 9U);
    behaviour->tokenTime = std::chrono::milliseconds(20);
    const int before = behaviour->written;
    session::TextInput longer{"another text to go on with", std::nullopt};
    longer.generation.newTokens = 500;
    const QSignalSpy progress(&window->workbench().runs(), &SideRuns::progressed);
    window->workbench().setText(longer);
    ASSERT_TRUE(test::waitFor([&] { return behaviour->written >= before + 2 && progress.size() >= 3; }));
    const QString stage = progress.back().front().toString();
    EXPECT_TRUE(stage.startsWith(QStringLiteral("writing “"))) << stage.toStdString();
    window->actions().cancel->trigger();
    ASSERT_TRUE(settle());
    EXPECT_EQ(trace().tokens.size(), 9U);
    EXPECT_LT(panelState(0).selection.query.value, 9U);
    EXPECT_TRUE(window->errors()->messages().isEmpty());
    behaviour->tokenTime = std::chrono::milliseconds(0);
}

TEST_F(WritingTest, a_query_stays_in_sight_when_the_outputs_open_below_it) {
    openWriting(false, 0);
    window->resize(900, 600);
    std::string text;
    for (int i = 0; i < 36; ++i) text += "somewhere ";
    window->workbench().setText({text, std::nullopt});
    ASSERT_TRUE(settle());
    window->workbench().pickQuery(0, QueryIndex(35));
    ASSERT_TRUE(settle());
    QTest::mouseClick(controls()->writeButton(), Qt::LeftButton);
    ASSERT_TRUE(settle());
    ASSERT_TRUE(window->outputsDock()->isVisible());
    for (std::size_t panel = 0; panel < 2; ++panel) {
        const QRectF box = view(panel)->viewportQueryBoxOf(35);
        ASSERT_TRUE(test::waitFor([&] {
            const QRectF now = view(panel)->viewportQueryBoxOf(35);
            return now.top() >= 0 && now.bottom() <= view(panel)->viewport()->height();
        })) << box.top() << ' ' << view(panel)->viewport()->height();
    }
}

}  // namespace fovea::app
