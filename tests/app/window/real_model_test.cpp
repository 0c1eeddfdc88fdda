// SPDX-License-Identifier: GPL-3.0-or-later
// The window on the bundled model, through LibTorch.
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTest>
#include <QTimer>
#include <filesystem>
#include <fstream>

#include "app/window/error_dialog.h"
#include "app/window/model_dock.h"
#include "app/window/openings.h"
#include "app/window/panels_page.h"
#include "app/window/samples.h"
#include "core/text/tokenizer.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/test_data.h"
#include "widgets/views/token_input.h"
#include "widgets/views/token_menu.h"

namespace fovea::app {

namespace {

std::filesystem::path sampleFolder() {
    return std::filesystem::path(FOVEA_SOURCE_DIR) / "resources/samples/glassllm-en";
}

// Of a model that reads a text once.
std::filesystem::path folderWithSpecialTokens() {
    for (const auto& folder : test::foldersWith("models", "tokenizer.json")) {
        const auto tokenizer = text::Tokenizer::fromFolder(folder);
        const bool reads = folder.filename().string().find("bert") != std::string::npos;
        if (reads && tokenizer && !(*tokenizer)->recognisedTokens().empty()) return folder;
    }
    return {};
}

struct RealModel : ::testing::Test {
    test::TemporaryFolder settingsFolder;
    std::unique_ptr<MainWindow> window;

    void SetUp() override {
        isolateSettings(settingsFolder.path());
        window = std::make_unique<MainWindow>();
        window->show();
        window->open(sampleFolder());
        ASSERT_TRUE(test::waitFor([&] { return settled() || !window->errors()->messages().isEmpty(); }));
        ASSERT_TRUE(window->errors()->messages().isEmpty())
            << window->errors()->messages().join('\n').toStdString();
    }
    bool settled() { return window->workbench().run() != nullptr && window->workbench().settled(); }
    bool settle() {
        return test::waitFor([this] { return settled(); });
    }
    const widgets::PanelPicture& picture(std::size_t panel) {
        return window->panels()->card(panel)->view()->picture();
    }
};

TEST_F(RealModel, the_sample_opens_on_its_own_sentence) {
    for (std::size_t panel = 0; panel < 2; ++panel) {
        ASSERT_NE(picture(panel).row, nullptr);
        EXPECT_TRUE(picture(panel).message.isEmpty());
        EXPECT_NEAR(picture(panel).row->rowSum, 1, 1e-9);
    }
    EXPECT_EQ(picture(0).row->divergence, 0);
    EXPECT_GT(picture(1).row->divergence, 0);
}

TEST_F(RealModel, the_sample_of_reactions_opens_on_the_head_that_follows_atoms) {
    const auto samples = bundledSamples();
    const auto sample = std::ranges::find_if(samples, [](const auto& offered) {
        return offered.path.endsWith(QStringLiteral("atoms.fovea"));
    });
    window->open(sample->path.toStdString());
    ASSERT_TRUE(test::waitFor([&] {
        return window->workbench().state().sides[0].source.filename() == "rxnmapper-albert" && settled();
    }));
    ASSERT_NE(picture(0).row, nullptr);
    const auto& tokens = window->workbench().run()->own->tokens;
    const session::Selection& shown = window->workbench().state().panels[0].selection;
    EXPECT_EQ(tokens.at(shown.query.value).text, "S");
    const auto& weights = picture(0).row->weights;
    const auto most = std::ranges::max_element(weights) - weights.begin();
    EXPECT_EQ(tokens.at(static_cast<std::size_t>(most)).text, "S");
    EXPECT_NE(static_cast<std::size_t>(most), shown.query.value);
    // What is bundled is not written over.
    EXPECT_TRUE(window->openings().sessions().file().empty());
}

TEST_F(RealModel, a_special_token_from_the_menu_is_one_token_of_the_run) {
    const auto folder = folderWithSpecialTokens();
    if (folder.empty()) GTEST_SKIP() << "no model with special tokens among the test data";
    window->open(folder);
    ASSERT_TRUE(test::waitFor([&] {
        return window->workbench().state().sides[0].source == folder && settled();
    }));
    widgets::TokenInput* input = window->modelDock()->input();
    const QStringList offered = input->tokenMenu()->contents();
    ASSERT_FALSE(offered.isEmpty());
    const QString content = offered.front();
    const auto count = [&] {
        return std::ranges::count_if(window->workbench().run()->own->tokens, [&](const TokenLabel& token) {
            return token.special && token.text == content.toStdString();
        });
    };
    const auto before = count();
    const std::string text = input->input().text;
    QTest::keyClick(input->editor(), Qt::Key_End, Qt::ControlModifier);
    input->tokenMenu()->menu()->actions().front()->trigger();
    EXPECT_EQ(input->input().text, text + content.toStdString());
    QTest::keyClick(input->editor(), Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(test::waitFor([&] { return settled() && count() == before + 1; }));
    window->workbench().document().undoStack().undo();
    ASSERT_TRUE(test::waitFor([&] { return settled() && count() == before; }));
}

TEST_F(RealModel, raw_pieces_are_shown_in_all_panels_and_taken_back_by_undo) {
    const auto shown = [&](std::size_t panel) { return picture(panel).trace->tokens; };
    const auto source = shown(0);
    window->actions().rawPieces->trigger();
    ASSERT_TRUE(settle());
    bool differs = false;
    for (std::size_t panel = 0; panel < 2; ++panel) {
        for (std::size_t i = 0; i < source.size(); ++i) {
            EXPECT_EQ(shown(panel)[i].text, source[i].piece);
            differs = differs || source[i].piece != source[i].text;
        }
    }
    EXPECT_TRUE(differs);
    window->workbench().document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_FALSE(window->actions().rawPieces->isChecked());
    EXPECT_EQ(shown(1)[1].text, source[1].text);
}

TEST_F(RealModel, a_slider_never_shows_a_picture_under_another_name) {
    const auto check = [&] {
        const widgets::PanelCard* card = window->panels()->card(1);
        const widgets::PanelPicture& shown = picture(1);
        EXPECT_EQ(shown.row->mechanism, shown.state.mechanism);
        EXPECT_EQ(card->chipText(), QString::fromStdString(session::mechanismText(shown.state.mechanism)));
        EXPECT_TRUE(!shown.matrix || shown.matrix->mechanism == shown.state.mechanism);
    };
    QElapsedTimer sinceTick;
    qint64 longest = 0;
    QTimer ticks;
    QObject::connect(&ticks, &QTimer::timeout, window.get(),
                     [&] { longest = std::max(longest, sinceTick.restart()); });
    ticks.start(1);
    sinceTick.start();
    for (const bool inside : {false, true}) {
        for (const auto view : {session::View::Text, session::View::Matrix}) {
            window->workbench().setView(view);
            for (int step = 0; step <= 40; ++step) {
                auto mechanism = window->workbench().state().panels.at(1).mechanism;
                mechanism.insideModel = inside;
                mechanism.weights.alpha = 1 + step * 0.05;
                window->workbench().setMechanism(mechanism, QStringLiteral("drag"), 1);
                QCoreApplication::processEvents();
                check();
            }
            ASSERT_TRUE(settle());
            check();
            EXPECT_EQ(picture(1).state, window->workbench().state().panels.at(1));
        }
    }
    std::printf("longest gap of the event loop: %lld ms\n", static_cast<long long>(longest));
}

TEST_F(RealModel, broken_folders_are_told_and_the_picture_stays) {
    const auto row = picture(0).row;
    const test::TemporaryFolder folder;
    std::filesystem::copy(sampleFolder(), folder / "broken");
    std::filesystem::resize_file(folder / "broken" / "model.safetensors", 1000);
    for (const auto& path : {folder / "missing", folder / "broken"}) {
        window->errors()->hide();
        window->open(path);
        ASSERT_TRUE(test::waitFor([&] { return !window->errors()->messages().isEmpty(); }));
        EXPECT_EQ(picture(0).row, row);
        EXPECT_TRUE(window->panels()->isVisible());
    }
}

TEST_F(RealModel, a_text_beyond_the_positions_is_told_under_the_text) {
    QString complaint;
    QObject::connect(&window->workbench(), &Workbench::inputComplaint, window.get(),
                     [&](const QString& text) { complaint = text; });
    std::string text;
    for (int word = 0; word < 2000; ++word) text += "word ";
    const auto row = picture(0).row;
    window->workbench().setText({text, std::nullopt});
    ASSERT_TRUE(test::waitFor([&] { return !complaint.isEmpty(); }));
    EXPECT_EQ(picture(0).row, row);
}

}  // namespace

}  // namespace fovea::app
