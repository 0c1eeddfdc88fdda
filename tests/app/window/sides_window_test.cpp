// SPDX-License-Identifier: GPL-3.0-or-later
// Comparing and careful opening in the window: drops, dialogs, header, docks.
#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QDropEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QTextBrowser>
#include <QUrl>
#include <map>
#include <utility>
#include <nlohmann/json.hpp>

#include "app/window/drops.h"
#include "app/window/error_dialog.h"
#include "app/window/help_texts.h"
#include "app/window/model_dock.h"
#include "app/window/model_report_dialog.h"
#include "app/window/opening_offer.h"
#include "app/window/openings.h"
#include "app/window/panels_page.h"
#include "core/model/model_config.h"
#include "core/model/model_folder.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/broken_files.h"
#include "widgets/views/drop_overlay.h"
#include "widgets/views/model_report_view.h"
#include "widgets/views/notice_strip.h"
#include "widgets/views/token_input.h"
#include "widgets/views/welcome_page.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct SidesWindow : WindowFixture {
    test::TemporaryFolder folder;

    Workbench& bench() { return window->workbench(); }
    const session::DocumentState& state() { return bench().state(); }
    QPlainTextEdit* editor() { return window->modelDock()->input()->editor(); }
    fs::path modelFolder(const char* name) {
        fs::create_directory(folder / name);
        return folder / name;
    }
    bool compared() {
        return test::waitFor([this] { return state().comparing(); }) && settle();
    }
    // Drags `paths` to the middle of a zone of the panels, and lets them go there.
    void drop(const std::vector<fs::path>& paths, int zone, Qt::KeyboardModifiers modifiers = {}) {
        QMimeData data;
        QList<QUrl> urls;
        for (const fs::path& path : paths) urls << QUrl::fromLocalFile(QString::fromStdString(path.string()));
        data.setUrls(urls);
        const QPoint place = window->panels()->mapTo(
            window.get(),
            QPoint(window->panels()->width() * (1 + 2 * zone) / 4, window->panels()->height() / 2));
        QDragEnterEvent enter(place, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(window.get(), &enter);
        EXPECT_TRUE(enter.isAccepted());
        offered = window->drops().overlay()->isVisible() ? window->drops().overlay()->zones() : QStringList();
        QDragMoveEvent move(place, Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(window.get(), &move);
        QDropEvent letGo(QPointF(place), Qt::CopyAction, &data, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(window.get(), &letGo);
        EXPECT_FALSE(window->drops().overlay()->isVisible());
    }
    QStringList offered;

    // A folder whose weights are as its configuration wants them, zeros; without the head on request.
    fs::path weightedFolder(const char* name, bool withHead) {
        const fs::path place = modelFolder(name);
        const Json config{{"model_type", "bert"},     {"architectures", {"BertForSequenceClassification"}},
                          {"vocab_size", 7},          {"hidden_size", 4},
                          {"num_hidden_layers", 2},   {"num_attention_heads", 2},
                          {"intermediate_size", 8},   {"max_position_embeddings", 16},
                          {"type_vocab_size", 2}};
        test::writeBytes(place / "config.json", config.dump());
        std::map<std::string, std::vector<std::size_t>> shapes;
        write(place, shapes);
        const ModelInfo without = model::describeFolder(place).value();
        for (const std::string& missing : without.tensors.missing) shapes[missing] = {1};
        write(place, shapes);
        const ModelInfo misshapen = model::describeFolder(place).value();
        for (const ShapeMismatch& tensor : misshapen.tensors.mismatched)
            shapes[tensor.name] = tensor.expected;
        if (!withHead) {
            shapes.erase("classifier.weight");
            shapes.erase("classifier.bias");
        }
        write(place, shapes);
        return place;
    }
    static void write(const fs::path& place, const std::map<std::string, std::vector<std::size_t>>& shapes) {
        Json header = Json::object();
        std::size_t end = 0;
        for (const auto& [name, shape] : shapes) {
            std::size_t bytes = sizeof(float);
            for (const std::size_t size : shape) bytes *= size;
            header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {end, end + bytes}}};
            end += bytes;
        }
        test::writeBytes(place / "model.safetensors",
                         test::safetensorsBytes(header.dump(), std::string(end, '\0')));
    }
    OpeningOffer* waitForOffer() {
        test::waitFor([this] { return window->openings().check().offer() != nullptr; });
        return window->openings().check().offer();
    }
};

TEST_F(SidesWindow, a_folder_dropped_on_the_right_half_is_compared_and_on_the_left_opened) {
    openSynthetic();
    const fs::path other = modelFolder("other");
    drop({other}, 1);
    ASSERT_EQ(offered.size(), 2);
    EXPECT_TRUE(offered[1].contains(QStringLiteral("Compare")));
    ASSERT_TRUE(compared());
    EXPECT_EQ(state().sides[0].source, "/synthetic");
    EXPECT_EQ(state().sides[1].source, other);
    drop({modelFolder("third")}, 0);
    EXPECT_TRUE(offered[0].contains(QStringLiteral("A")));
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].source == folder / "third"; }));
    EXPECT_TRUE(state().comparing());
    bench().stopComparing();
    ASSERT_TRUE(settle());
    drop({other}, 0);
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].source == other; }));
    EXPECT_FALSE(state().comparing());
}

TEST_F(SidesWindow, with_a_modifier_a_drop_compares_wherever_it_falls) {
    openSynthetic();
    drop({modelFolder("other")}, 0, Qt::ControlModifier);
    ASSERT_TRUE(compared());
    EXPECT_EQ(state().sides[1].source, folder / "other");
}

TEST_F(SidesWindow, two_folders_dropped_at_once_are_compared) {
    drop({modelFolder("first"), modelFolder("second")}, 0);
    EXPECT_TRUE(offered.isEmpty());
    ASSERT_TRUE(compared());
    EXPECT_EQ(state().sides[0].source, folder / "first");
    EXPECT_EQ(state().sides[1].source, folder / "second");
}

TEST_F(SidesWindow, of_two_folders_a_first_that_fails_takes_the_second_with_it) {
    behaviour->failsToOpen = true;
    window->openAll({modelFolder("first"), modelFolder("second")});
    ASSERT_TRUE(test::waitFor([&] { return !window->errors()->messages().isEmpty(); }));
    behaviour->failsToOpen = false;
    window->open(folder / "first");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(state().comparing());
}

TEST_F(SidesWindow, a_drag_that_leaves_takes_the_offer_with_it) {
    openSynthetic();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(modelFolder("other").string()))});
    QDragEnterEvent enter(QPoint(400, 300), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window.get(), &enter);
    EXPECT_TRUE(window->drops().overlay()->isVisible());
    QDragLeaveEvent leave;
    QCoreApplication::sendEvent(window.get(), &leave);
    EXPECT_FALSE(window->drops().overlay()->isVisible());
    EXPECT_FALSE(state().comparing());
}

TEST_F(SidesWindow, another_text_is_typed_for_the_second_side_and_the_first_keeps_its_own) {
    openSynthetic();
    window->actions().compareText->trigger();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(state().comparing());
    EXPECT_EQ(state().activePanel, 1U);
    EXPECT_EQ(editor()->toPlainText(), QStringLiteral("one two three four five six seven"));
    QTest::keyClicks(editor(), QStringLiteral("one six"));  // what is selected is replaced
    QTest::keyClick(editor(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "one six"; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(state().sides[0].input.text.text, "one two three four five six seven");
    EXPECT_EQ(view(0)->picture().trace->tokens.size(), 7U);
    EXPECT_EQ(view(1)->picture().trace->tokens.size(), 2U);
}

TEST_F(SidesWindow, the_dock_follows_the_active_panels_side_and_runs_what_was_typed_where_it_was_typed) {
    openSynthetic();
    window->actions().compareText->trigger();
    ASSERT_TRUE(settle());
    bench().setText(1, {"right", std::nullopt});
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "right"; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(editor()->toPlainText(), QStringLiteral("right"));
    EXPECT_TRUE(window->modelDock()->windowTitle().endsWith(QLatin1Char('B')));
    editor()->setPlainText(QStringLiteral("right side"));
    window->actions().activateFirst->trigger();
    EXPECT_EQ(editor()->toPlainText(), QStringLiteral("one two three four five six seven"));
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "right side"; }));
    EXPECT_EQ(state().sides[0].input.text.text, "one two three four five six seven");
    EXPECT_EQ(state().activePanel, 0U);
    ASSERT_TRUE(settle());
    EXPECT_EQ(editor()->toPlainText(), QStringLiteral("one two three four five six seven"));
}

TEST_F(SidesWindow, actions_of_a_comparison_are_there_when_there_is_one) {
    const Actions& actions = window->actions();
    EXPECT_FALSE(actions.compareModel->isEnabled());
    EXPECT_FALSE(actions.compareText->isEnabled());
    openSynthetic();
    EXPECT_TRUE(actions.compareModel->isEnabled());
    EXPECT_TRUE(actions.compareText->isEnabled());
    for (QAction* action : {actions.shareInput, actions.swapSides, actions.stopComparing})
        EXPECT_FALSE(action->isEnabled()) << action->text().toStdString();
    actions.compareText->trigger();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(actions.compareText->isEnabled());
    for (QAction* action : {actions.shareInput, actions.swapSides, actions.stopComparing})
        EXPECT_TRUE(action->isEnabled()) << action->text().toStdString();
    actions.stopComparing->trigger();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(state().comparing());
    bench().document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_TRUE(state().comparing());
    EXPECT_TRUE(actions.stopComparing->isEnabled());
}

TEST_F(SidesWindow, hovering_a_token_outlines_its_counterpart_on_the_other_side) {
    openSynthetic();
    bench().compareTexts();
    bench().setText(1, {"zero one two three", std::nullopt});
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "zero one two three"; }));
    ASSERT_TRUE(settle());
    // Docks may still find their sizes.
    QImage before;
    ASSERT_TRUE(test::waitFor([&] { return std::exchange(before, view(1)->grab().toImage()) == before; }));
    QTest::mouseMove(view(0)->viewport(), view(0)->viewportBoxOf(5).center().toPoint());  // six: nowhere
    EXPECT_EQ(view(1)->grab().toImage(), before);
    QTest::mouseMove(view(0)->viewport(), view(0)->viewportBoxOf(2).center().toPoint());  // three
    const QImage after = view(1)->grab().toImage();
    EXPECT_NE(after, before);
    const QRect three = view(1)->viewportBoxOf(3).toAlignedRect().adjusted(-3, -3, 3, 3);
    EXPECT_NE(after.copy(three), before.copy(three));
    const QRect zero = view(1)->viewportBoxOf(0).toAlignedRect();
    EXPECT_EQ(after.copy(zero), before.copy(zero));
}

TEST_F(SidesWindow, a_click_on_a_token_without_counterpart_clears_the_other_panel) {
    openSynthetic();
    bench().compareTexts();
    bench().setText(1, {"one two seven", std::nullopt});
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "one two seven"; }));
    ASSERT_TRUE(settle());
    QTest::mouseClick(view(0)->viewport(), Qt::LeftButton, {}, view(0)->viewportBoxOf(4).center().toPoint());
    ASSERT_TRUE(settle());
    EXPECT_TRUE(panelState(1).withoutQuery);
    EXPECT_EQ(view(1)->picture().row, nullptr);
    // Its tokens can still be asked about.
    QTest::mouseClick(view(1)->viewport(), Qt::LeftButton, {}, view(1)->viewportBoxOf(2).center().toPoint());
    ASSERT_TRUE(settle());
    EXPECT_FALSE(panelState(1).withoutQuery);
    EXPECT_EQ(panelState(0).selection.query, QueryIndex(6));
    EXPECT_EQ(panelState(1).selection.query, QueryIndex(2));
}

TEST_F(SidesWindow, the_report_tells_of_the_active_sides_model_and_is_copied) {
    openSynthetic();
    window->actions().aboutModel->trigger();
    ASSERT_TRUE(window->report()->isVisible());
    EXPECT_TRUE(window->report()->windowTitle().contains(QStringLiteral("synthetic")));
    window->report()->copy();
    EXPECT_TRUE(QApplication::clipboard()->text().contains(QStringLiteral("SyntheticModel")));
}

TEST_F(SidesWindow, the_supported_models_are_listed_from_the_code) {
    showSupportedModelsDialog(window.get());
    const auto* text = window->findChild<QTextBrowser*>();
    ASSERT_NE(text, nullptr);
    const auto* line = window->welcome()->findChild<QLabel*>(QStringLiteral("supported models"));
    ASSERT_NE(line, nullptr);
    for (const std::string& type : model::supportedModelTypes()) {
        EXPECT_TRUE(text->toPlainText().contains(QString::fromStdString(type))) << type;
        EXPECT_TRUE(line->text().contains(QString::fromStdString(type))) << type;
    }
}

TEST_F(SidesWindow, a_folder_without_its_head_is_offered_without_it_and_says_so_while_it_is_open) {
    window->open(weightedFolder("classifier", false));
    OpeningOffer* offer = waitForOffer();
    ASSERT_NE(offer, nullptr);
    EXPECT_TRUE(offer->explanation().contains(QStringLiteral("BertForSequenceClassification")));
    EXPECT_EQ(offer->layersButton(), nullptr);
    EXPECT_EQ(bench().run(), nullptr);
    QTest::mouseClick(offer->bodyButton(), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_TRUE(state().sides[0].options.bodyAlone);
    EXPECT_TRUE(window->notice()->notice().contains(QStringLiteral("without its head")));
    EXPECT_TRUE(window->notice()->isVisible());
    window->open("/synthetic");
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].source == "/synthetic"; }));
    EXPECT_FALSE(window->notice()->isVisible());
}

TEST_F(SidesWindow, a_whole_folder_is_opened_without_a_question) {
    window->open(weightedFolder("whole", true));
    ASSERT_TRUE(settle());
    EXPECT_EQ(window->openings().check().offer(), nullptr);
    EXPECT_EQ(state().sides[0].options, LoadOptions{});
}

TEST_F(SidesWindow, a_declined_offer_leaves_what_there_was) {
    window->open(weightedFolder("classifier", false));
    ASSERT_NE(waitForOffer(), nullptr);
    window->openings().check().offer()->reject();
    EXPECT_TRUE(window->welcome()->isVisible());
    openSynthetic();
    const session::DocumentState before = state();
    window->openings().compareWith(folder / "classifier");
    ASSERT_NE(waitForOffer(), nullptr);
    window->openings().check().offer()->reject();
    EXPECT_EQ(state(), before);
    EXPECT_FALSE(bench().busy());
}

TEST_F(SidesWindow, too_little_memory_is_told_with_the_sum_before_anything_is_read) {
    const fs::path place = weightedFolder("large", true);
    window->openings().check().assumeAvailable(1000);
    window->open(place);
    OpeningOffer* offer = waitForOffer();
    ASSERT_NE(offer, nullptr);
    EXPECT_EQ(behaviour->opened, 0);
    EXPECT_TRUE(offer->explanation().contains(QStringLiteral("1.0 kB")))
        << offer->explanation().toStdString();
    EXPECT_EQ(offer->layerCount()->maximum(), 2);
    offer->layerCount()->setValue(1);
    QTest::mouseClick(offer->layersButton(), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_EQ(state().sides[0].options.firstLayers, 1U);

    window->open(place);
    ASSERT_NE(waitForOffer(), nullptr);
    QTest::mouseClick(window->openings().check().offer()->asTheyRunButton(), Qt::LeftButton);
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].options.readAsTheyRun; }));

    window->open(place);
    ASSERT_NE(waitForOffer(), nullptr);
    QTest::mouseClick(window->openings().check().offer()->allTheSameButton(), Qt::LeftButton);
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].options == LoadOptions{}; }));
}

TEST_F(SidesWindow, a_head_that_is_missing_and_memory_that_is_short_are_asked_about_in_turn) {
    window->openings().check().assumeAvailable(1000);
    window->open(weightedFolder("classifier", false));
    ASSERT_NE(waitForOffer(), nullptr);
    QTest::mouseClick(window->openings().check().offer()->bodyButton(), Qt::LeftButton);
    OpeningOffer* second = waitForOffer();
    ASSERT_NE(second, nullptr);
    ASSERT_NE(second->asTheyRunButton(), nullptr);
    QTest::mouseClick(second->asTheyRunButton(), Qt::LeftButton);
    ASSERT_TRUE(settle());
    EXPECT_EQ(state().sides[0].options, (LoadOptions{{}, true, true}));
}

TEST_F(SidesWindow, a_newer_opening_takes_the_question_of_the_one_before_away) {
    window->open(weightedFolder("classifier", false));
    ASSERT_NE(waitForOffer(), nullptr);
    openSynthetic();
    EXPECT_EQ(window->openings().check().offer(), nullptr);
    EXPECT_EQ(state().sides[0].source, "/synthetic");
}

TEST_F(SidesWindow, a_session_of_a_comparison_brings_it_back) {
    openSynthetic();
    bench().compareTexts();
    bench().setText(1, {"one six", std::nullopt});
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].input.text.text == "one six"; }));
    ASSERT_TRUE(settle());
    // The synthetic model has no files, but its place must be there to be found again.
    bench().replaceSide(0, modelFolder("kept"));
    ASSERT_TRUE(test::waitFor([&] { return state().sides[0].source == folder / "kept"; }));
    bench().replaceSide(1, modelFolder("also kept"));
    ASSERT_TRUE(test::waitFor([&] { return state().sides[1].source == folder / "also kept"; }));
    ASSERT_TRUE(settle());
    const session::DocumentState kept = state();
    QSignalSpy saved(&window->openings().sessions(), &SessionFiles::saved);
    window->openings().sessions().save(folder / "pair.fovea");
    ASSERT_TRUE(test::waitFor([&] { return saved.count() == 1; }));
    bench().stopComparing();
    ASSERT_TRUE(settle());
    window->open(folder / "pair.fovea");
    ASSERT_TRUE(test::waitFor([&] { return state() == kept; }));
    ASSERT_TRUE(settle());
    for (std::size_t panel = 0; panel < 2; ++panel)
        EXPECT_EQ(view(panel)->picture().state, panelState(panel));
}

}  // namespace

}  // namespace fovea::app
