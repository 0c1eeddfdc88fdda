// SPDX-License-Identifier: GPL-3.0-or-later
// The window on the bundled pictures: a model through LibTorch, and recorded attention.
#include <gtest/gtest.h>

#include <QSignalSpy>
#include <fstream>

#include "app/window/error_dialog.h"
#include "app/window/openings.h"
#include "app/window/outputs_dock.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/run_program.h"
#include "widgets/export/figure_export.h"
#include "widgets/export/provenance.h"
#include "widgets/views/outputs_view.h"

namespace fovea::app {

namespace {

namespace fs = std::filesystem;

fs::path sample(const char* name) { return fs::path(FOVEA_SOURCE_DIR) / "resources/samples" / name; }

std::string bytesOf(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

struct RealPicture : ::testing::Test {
    test::TemporaryFolder folder;
    std::unique_ptr<MainWindow> window;

    RealPicture() {
        isolateSettings(folder.path());
        window = std::make_unique<MainWindow>();
        window->show();
    }
    Workbench& bench() { return window->workbench(); }
    bool settled() { return bench().run() != nullptr && bench().settled(); }
    void open(const fs::path& path) {
        window->open(path);
        ASSERT_TRUE(test::waitFor([&] { return settled() || !window->errors()->messages().isEmpty(); }));
        ASSERT_TRUE(window->errors()->messages().isEmpty())
            << window->errors()->messages().join('\n').toStdString();
    }
    void save(const fs::path& file) {
        QSignalSpy saved(&window->openings().sessions(), &SessionFiles::saved);
        window->openings().sessions().save(file);
        ASSERT_TRUE(test::waitFor([&] { return saved.count() == 1; }));
    }
    /// The panels as the window shows them, drawn into `file` as the command draws them.
    void drawWindow(const fs::path& file) {
        const widgets::ModelRun& run = *bench().run();
        const auto provenance = widgets::provenanceOf(run.info(), widgets::inputText(run.input));
        ASSERT_TRUE(widgets::exportFigure(bench().pictures(), provenance, {}, file));
    }
    void expectTheCommandToDrawTheSame() {
        save(folder / "work.fovea");
        drawWindow(folder / "window.svg");
        const auto drawn = test::runProgram(FOVEA_PROGRAM, {"export", (folder / "work.fovea").string(), "-o",
                                                            (folder / "command.svg").string()});
        ASSERT_EQ(drawn.exitCode, 0) << drawn.err;
        EXPECT_EQ(drawn.err, "");
        const std::string ours = bytesOf(folder / "window.svg");
        EXPECT_FALSE(ours.empty());
        EXPECT_TRUE(ours == bytesOf(folder / "command.svg")) << "window and command draw differently";
    }
};

TEST_F(RealPicture, a_model_tells_its_classes_before_and_after_and_the_command_draws_the_same) {
    open(sample("garments"));
    ASSERT_TRUE(bench().run()->own->grid);
    session::MechanismChoice mechanism;
    mechanism.weights.alpha = 1.5;
    mechanism.insideModel = true;
    bench().setMechanism(mechanism, QStringLiteral("inside"), -1);
    ASSERT_TRUE(test::waitFor([&] { return settled(); }));
    const auto& outputs = window->outputsDock()->view()->outputs();
    ASSERT_NE(outputs, nullptr);
    EXPECT_EQ(outputs->unit, "probability");
    EXPECT_FALSE(outputs->lines.empty());
    bench().pickQuery(0, QueryIndex(20));
    bench().toggleQuery(0, QueryIndex(30));
    ASSERT_TRUE(test::waitFor([&] { return settled(); }));
    expectTheCommandToDrawTheSame();
}

TEST_F(RealPicture, recorded_attention_shows_its_ellipse_and_the_command_draws_the_same) {
    open(sample("chelsea/attention.safetensors"));
    const auto row = bench().panel(1).picture().row;
    ASSERT_NE(row, nullptr);
    ASSERT_TRUE(row->picture);
    EXPECT_EQ(row->picture->ellipses.size(), 1U);
    EXPECT_NEAR(row->picture->patchMass + row->picture->prefixMass, 1, 1e-9);
    EXPECT_NE(bench().panel(1).picture().photo, nullptr);
    session::MechanismChoice mixture;
    mixture.domain = session::Domain::Mixture;
    mixture.density.alpha = 1;
    bench().setMechanism(mixture, QStringLiteral("mixture"), -1);
    bench().setView(session::View::Density);
    ASSERT_TRUE(test::waitFor([&] { return settled(); }));
    expectTheCommandToDrawTheSame();
}

TEST_F(RealPicture, recorded_attention_cannot_be_acted_inside_and_says_so) {
    open(sample("chelsea/attention.safetensors"));
    session::MechanismChoice mechanism;
    mechanism.insideModel = true;
    bench().setMechanism(mechanism, QStringLiteral("inside"), -1);
    ASSERT_TRUE(test::waitFor([&] { return settled(); }));
    EXPECT_TRUE(bench().panel(1).picture().message.contains(QStringLiteral("recorded attention")));
}

}  // namespace

}  // namespace fovea::app
