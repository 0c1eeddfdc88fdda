// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/main_window.h"

#include <QDropEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTest>
#include <QUrl>

#include "app/window/error_dialog.h"
#include "app/window/mechanism_dock.h"
#include "app/window/model_dock.h"
#include "app/window/outputs_dock.h"
#include "app/window/panels_page.h"
#include "tests/app/window/window_fixture.h"
#include "widgets/views/labelled_slider.h"
#include "widgets/views/mark_slider.h"
#include "widgets/views/mechanism_editor.h"
#include "widgets/views/token_input.h"
#include "widgets/views/welcome_page.h"

namespace fovea::app {

namespace {

using session::View;
using widgets::MarkSlider;

void dropUrl(QWidget& window, const QUrl& url) {
    QMimeData data;
    data.setUrls({url});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &enter);
    EXPECT_TRUE(enter.isAccepted());
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(&window, &drop);
}

struct MainWindowTest : WindowFixture {
    MarkSlider* alphaSlider() { return window->mechanismDock()->editor()->alpha()->slider(); }
    double alpha(std::size_t panel) { return panelState(panel).mechanism.weights.alpha; }
    void undo() { window->workbench().document().undoStack().undo(); }

    void dragAlpha(const std::vector<double>& values) {
        MarkSlider* slider = alphaSlider();
        const auto point = [&](double value) {
            return slider->handlePoint(slider->scale().positionOf(value));
        };
        QTest::mousePress(slider, Qt::LeftButton, {}, slider->handlePoint(slider->value()));
        for (const double value : values) QTest::mouseMove(slider, point(value));
        QTest::mouseRelease(slider, Qt::LeftButton, {}, point(values.back()));
    }
};

TEST_F(MainWindowTest, starts_with_the_welcome_page) {
    EXPECT_TRUE(window->welcome()->isVisible());
    EXPECT_FALSE(window->panels()->isVisible());
    EXPECT_FALSE(window->actions().exportFigure->isEnabled());
}

TEST_F(MainWindowTest, opening_shows_pictures_in_both_panels) {
    openSynthetic();
    EXPECT_TRUE(window->panels()->isVisible());
    EXPECT_TRUE(window->actions().exportFigure->isEnabled());
    for (std::size_t panel = 0; panel < 2; ++panel) {
        EXPECT_NE(view(panel)->picture().row, nullptr);
        EXPECT_EQ(view(panel)->picture().state, panelState(panel));
    }
}

TEST_F(MainWindowTest, a_drag_of_the_slider_changes_alpha_and_one_undo_restores_it) {
    openSynthetic();
    const double before = alpha(1);
    dragAlpha({1.7, 1.9, 2.3, 2.8, 3.3});
    EXPECT_NEAR(alpha(1), 3.3, 0.05);
    EXPECT_EQ(alpha(0), 1) << "the other panel is independent";
    undo();
    EXPECT_EQ(alpha(1), before);
    EXPECT_FALSE(window->workbench().document().undoStack().canUndo());
    EXPECT_EQ(alphaSlider()->value(), alphaSlider()->scale().positionOf(before));
}

TEST_F(MainWindowTest, chip_and_picture_agree_whenever_the_picture_changes) {
    openSynthetic();
    int pictures = 0;
    widgets::PanelCard* card = window->panels()->card(1);
    QObject::connect(&window->workbench().panel(1), &widgets::PanelViewModel::pictureChanged, window.get(),
                     [&] {
                         ++pictures;
                         const widgets::PanelPicture& picture = card->view()->picture();
                         EXPECT_EQ(picture.row->mechanism, picture.state.mechanism);
                         EXPECT_EQ(card->chipText(),
                                   QString::fromStdString(session::mechanismText(picture.row->mechanism)));
                     });
    for (int step = 0; step < 60; ++step) {
        dragAlpha({1 + step * 0.05});
        QCoreApplication::processEvents();
    }
    ASSERT_TRUE(settle());
    EXPECT_GT(pictures, 1);
    EXPECT_EQ(card->view()->picture().state, panelState(1));
}

TEST_F(MainWindowTest, a_click_on_a_token_pins_the_query_in_both_panels) {
    openSynthetic();
    const QPoint token = view(0)->viewportBoxOf(2).center().toPoint();
    QTest::mouseClick(view(0)->viewport(), Qt::LeftButton, {}, token);
    EXPECT_EQ(panelState(0).selection.query, QueryIndex(2));
    EXPECT_EQ(panelState(1).selection.query, QueryIndex(2));
    EXPECT_EQ(window->workbench().activePanel(), 0U);
    ASSERT_TRUE(settle());
    EXPECT_EQ(view(1)->picture().row->selection.query, QueryIndex(2));
    EXPECT_EQ(window->workbench().document().undoStack().count(), 1) << "a click is one step";
}

TEST_F(MainWindowTest, hover_is_shared_by_linked_panels_and_no_step_of_the_document) {
    openSynthetic();
    QTest::mouseMove(view(0)->viewport(), view(0)->viewportBoxOf(4).center().toPoint());
    EXPECT_FALSE(window->workbench().document().undoStack().canUndo());
    window->workbench().setLinked(false);
    ASSERT_TRUE(settle());
}

TEST_F(MainWindowTest, nothing_moves_under_the_pointer) {
    openSynthetic();
    const QRect before = window->panels()->geometry();
    QSignalSpy said(window->panels(), &PanelsPage::hoverTextChanged);
    // Where the pointer is already, a move is none.
    for (const std::size_t token : {2, 4}) {
        QTest::mouseMove(view(0)->viewport(), view(0)->viewportBoxOf(token).center().toPoint());
    }
    ASSERT_TRUE(test::waitFor([&] { return said.count() > 0; }));
    QCoreApplication::processEvents();
    EXPECT_EQ(window->panels()->geometry(), before);
}

TEST_F(MainWindowTest, keys_in_a_panel_move_query_head_and_layer) {
    openSynthetic();
    window->workbench().pickQuery(1, QueryIndex(2));
    ASSERT_TRUE(settle());
    QTest::keyClick(view(1), Qt::Key_Right);
    QTest::keyClick(view(1), Qt::Key_Down);
    QTest::keyClick(view(1), Qt::Key_PageDown);
    EXPECT_EQ(panelState(1).selection, (session::Selection{SiteIndex(1), HeadIndex(1), QueryIndex(3)}));
}

TEST_F(MainWindowTest, the_matrix_view_is_an_action_of_the_active_panel) {
    openSynthetic();
    window->actions().viewMatrix->trigger();
    EXPECT_EQ(panelState(1).view, View::Matrix);
    EXPECT_EQ(panelState(0).view, View::Text);
    ASSERT_TRUE(settle());
    EXPECT_NE(view(1)->picture().matrix, nullptr);
    undo();
    EXPECT_TRUE(window->actions().viewText->isChecked());
}

TEST_F(MainWindowTest, inside_the_model_brings_the_outputs) {
    openSynthetic();
    EXPECT_FALSE(window->outputsDock()->isVisible());
    auto mechanism = panelState(1).mechanism;
    mechanism.insideModel = true;
    window->workbench().setMechanism(mechanism, QStringLiteral("inside"), -1);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(window->outputsDock()->isVisible());
    window->workbench().activate(0);
    EXPECT_FALSE(window->outputsDock()->isVisible());
}

TEST_F(MainWindowTest, a_typed_text_runs_and_undo_brings_the_old_one_back) {
    openSynthetic();
    QPlainTextEdit* editor = window->modelDock()->input()->editor();
    editor->selectAll();
    QTest::keyClicks(editor, QStringLiteral("just three words"));
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(test::waitFor(
        [&] { return window->workbench().state().sides[0].input.text.text == "just three words"; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(view(0)->picture().trace->tokens.size(), 3U);
    undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(editor->toPlainText(), QStringLiteral("one two three four five six seven"));
    EXPECT_EQ(view(0)->picture().trace->tokens.size(), 7U);
}

TEST_F(MainWindowTest, a_dropped_folder_opens) {
    dropUrl(*window, QUrl::fromLocalFile(QStringLiteral("/dropped")));
    ASSERT_TRUE(settle());
    EXPECT_NE(window->workbench().run(), nullptr);
}

TEST_F(MainWindowTest, a_broken_folder_is_told_and_what_there_was_is_kept) {
    openSynthetic();
    const session::DocumentState before = window->workbench().state();
    const auto picture = view(0)->picture().row;
    behaviour->failsToOpen = true;
    dropUrl(*window, QUrl::fromLocalFile(QStringLiteral("/broken/")));
    ASSERT_TRUE(test::waitFor([&] { return !window->errors()->messages().isEmpty(); }));
    EXPECT_TRUE(window->errors()->messages().front().contains(QStringLiteral("no config.json")));
    EXPECT_FALSE(window->errors()->isModal());
    EXPECT_EQ(window->workbench().state(), before);
    EXPECT_EQ(view(0)->picture().row, picture);
    EXPECT_TRUE(window->panels()->isVisible());
}

TEST_F(MainWindowTest, a_first_folder_that_fails_leads_back_to_the_welcome_page) {
    behaviour->failsToOpen = true;
    window->open("/broken");
    EXPECT_TRUE(window->panels()->isVisible());
    ASSERT_TRUE(test::waitFor([&] { return !window->errors()->messages().isEmpty(); }));
    EXPECT_TRUE(window->welcome()->isVisible());
}

TEST_F(MainWindowTest, the_panels_say_what_is_being_opened) {
    behaviour->runTime = std::chrono::seconds(100);
    window->open("/models/slow");
    ASSERT_TRUE(test::waitFor([&] { return behaviour->runs > 0; }));
    EXPECT_TRUE(view(0)->picture().message.contains(QStringLiteral("slow")));
    window->actions().cancel->trigger();
    EXPECT_TRUE(window->welcome()->isVisible());
}

TEST_F(MainWindowTest, the_layout_survives_the_window) {
    openSynthetic();
    window->mechanismDock()->hide();
    window->close();
    MainWindow second(test::syntheticOpener(behaviour));
    second.show();
    second.open("/synthetic");
    ASSERT_TRUE(
        test::waitFor([&] { return second.workbench().run() != nullptr && second.workbench().settled(); }));
    EXPECT_TRUE(second.mechanismDock()->isHidden());
    second.actions().resetLayout->trigger();
    EXPECT_FALSE(second.mechanismDock()->isHidden());
}

TEST_F(MainWindowTest, everything_that_takes_the_focus_is_named_for_screen_readers) {
    openSynthetic();
    for (auto* widget : window->findChildren<QWidget*>()) {
        const bool ours = widget->inherits("fovea::widgets::PanelView") ||
                          widget->inherits("fovea::widgets::MarkSlider") ||
                          widget->inherits("QAbstractSpinBox") || widget->inherits("QPlainTextEdit") ||
                          widget->inherits("QTreeView") || widget->inherits("QComboBox");
        if (!ours) continue;
        EXPECT_FALSE(widget->accessibleName().isEmpty()) << widget->metaObject()->className();
    }
}

}  // namespace

}  // namespace fovea::app
