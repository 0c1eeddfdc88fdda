// SPDX-License-Identifier: GPL-3.0-or-later
// The window on the bundled model, through LibTorch.
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTimer>
#include <filesystem>
#include <fstream>

#include "app/window/error_dialog.h"
#include "app/window/panels_page.h"
#include "tests/app/window/window_fixture.h"

namespace fovea::app {

namespace {

std::filesystem::path sampleFolder() {
    return std::filesystem::path(FOVEA_SOURCE_DIR) / "resources/samples/glassllm-en";
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
