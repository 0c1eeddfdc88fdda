// SPDX-License-Identifier: GPL-3.0-or-later
// The catalogue of broken files, opened in the window: one notice says the defect's sentence, and
// everything that was there is there.
#include <gtest/gtest.h>

#include <QUndoStack>

#include "app/window/error_dialog.h"
#include "app/window/openings.h"
#include "app/window/settings.h"
#include "tests/app/window/window_fixture.h"
#include "tests/support/broken_catalogue.h"

namespace fovea::app {

namespace {

using test::BrokenKind;
using test::CatalogueEntry;

/// What a failed opening must not change.
struct Kept {
    session::DocumentState document;
    const widgets::ModelRun* run = nullptr;
    int undoSteps = 0;
    QStringList recent;
    std::filesystem::path sessionFile;
    QString title;

    bool operator==(const Kept&) const = default;
};

class BrokenFilesInTheWindow : public testing::TestWithParam<BrokenKind> {
protected:
    BrokenFilesInTheWindow() {
        isolateSettings(settings.path());
        window = std::make_unique<MainWindow>();
        window->resize(1000, 700);
        window->show();
        QObject::connect(&window->workbench(), &Workbench::inputComplaint, window.get(),
                         [this](const QString& text) { complaint = text; });
    }
    bool settled() {
        return !window->openings().looking() && !window->workbench().busy() && window->workbench().settled();
    }
    QString said() { return complaint + window->errors()->messages().join(QLatin1Char('\n')); }
    void open(const std::filesystem::path& path) {
        complaint.clear();
        window->errors()->hide();
        window->open(path);
        ASSERT_TRUE(
            test::waitFor([this] { return settled() && (!said().isEmpty() || window->workbench().run()); }));
    }
    /// A model of pictures for pictures, a recording for the rest; with a step to undo.
    void openSomethingGood() {
        const bool pictures = GetParam() == BrokenKind::Picture;
        for (const test::BrokenFile& picture : test::goodPictures()) {
            if (picture.defect == "png") test::writeBytes(good / "good.png", picture.content);
        }
        window->workbench().setSamplePicture(good / "good.png");
        test::writeBytes(good / "good.safetensors", test::goodDump());
        open(pictures ? test::bundledDataFolder() / "models/vit-classifier" : good / "good.safetensors");
        ASSERT_NE(window->workbench().run(), nullptr) << said().toStdString();
        window->workbench().pickHead(SiteIndex(0), HeadIndex(1));
        ASSERT_TRUE(test::waitFor([this] { return settled(); }));
    }
    Kept kept() {
        return {window->workbench().state(),
                window->workbench().run().get(),
                window->workbench().document().undoStack().count(),
                Settings().recent(),
                window->openings().sessions().file(),
                window->windowTitle()};
    }

    test::TemporaryFolder settings, good;
    test::CataloguePlaces places;
    std::unique_ptr<MainWindow> window;
    QString complaint;
};

TEST_P(BrokenFilesInTheWindow, are_told_and_leave_everything_as_it_was) {
    openSomethingGood();
    const Kept before = kept();
    ASSERT_GT(before.undoSteps, 0);
    for (const CatalogueEntry& entry : test::brokenCatalogue(GetParam())) {
        places.put(entry);
        complaint.clear();
        window->errors()->hide();
        window->open(places.opened(entry));
        ASSERT_TRUE(test::waitFor([this] { return settled() && !said().isEmpty(); })) << entry.name();
        const std::string words = said().toStdString();
        // Arrays of other kinds are well-formed; they are no recording.
        const bool noRecording = words.contains("expected arrays named attention");
        EXPECT_TRUE(test::says(words, entry.broken.sentence) || noRecording) << entry.name() << ": " << words;
        EXPECT_TRUE(words.contains(entry.file)) << entry.name() << ": " << words;
        EXPECT_LE(window->errors()->messages().size(), 1) << entry.name();
        EXPECT_TRUE(kept() == before) << entry.name();
    }
    // What was loaded still works.
    window->errors()->hide();
    window->workbench().document().undoStack().undo();
    window->workbench().setView(session::View::Matrix);
    ASSERT_TRUE(test::waitFor([this] {
        return settled() && window->workbench().activePanelModel().picture().matrix != nullptr;
    }));
    EXPECT_TRUE(window->errors()->messages().isEmpty());
}
INSTANTIATE_TEST_SUITE_P(By, BrokenFilesInTheWindow,
                         testing::Values(BrokenKind::Safetensors, BrokenKind::Npy, BrokenKind::Npz,
                                         BrokenKind::Torch, BrokenKind::Index, BrokenKind::Config,
                                         BrokenKind::Generation, BrokenKind::Preprocessing,
                                         BrokenKind::Tokenizer, BrokenKind::Session, BrokenKind::Dump,
                                         BrokenKind::Picture),
                         [](const auto& kind) { return test::kindName(kind.param); });

}  // namespace

}  // namespace fovea::app
