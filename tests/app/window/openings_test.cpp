// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/openings.h"

#include <QDropEvent>
#include <QImage>
#include <QMimeData>
#include <QSignalSpy>
#include <QUrl>
#include <fstream>

#include "app/window/error_dialog.h"
#include "tests/app/window/window_fixture.h"

namespace fovea::app {

namespace {

struct OpeningsTest : WindowFixture {
    test::TemporaryFolder folder;

    std::filesystem::path picture(const char* name, int width = 40, int height = 24) {
        QImage image(width, height, QImage::Format_RGB32);
        image.fill(Qt::darkCyan);
        const auto path = folder / name;
        EXPECT_TRUE(image.save(QString::fromStdString(path.string())));
        return path;
    }
    void openPictureModel() {
        behaviour->readsPictures = true;
        window->workbench().setSamplePicture(picture("sample.png"));
        window->open(folder.path());
        ASSERT_TRUE(settle());
    }
    void save(const std::filesystem::path& file) {
        QSignalSpy saved(&window->openings().sessions(), &SessionFiles::saved);
        window->openings().sessions().save(file);
        ASSERT_TRUE(test::waitFor([&] { return saved.count() == 1; }));
    }
    QStringList errors() { return window->errors()->messages(); }
};

TEST_F(OpeningsTest, a_path_is_told_by_what_it_is) {
    EXPECT_EQ(kindOf(folder.path()), PathKind::Source);
    EXPECT_EQ(kindOf(folder / "a.safetensors"), PathKind::Source);
    EXPECT_EQ(kindOf(folder / "a.npz"), PathKind::Source);
    EXPECT_EQ(kindOf(folder / "a.FOVEA"), PathKind::Session);
    EXPECT_EQ(kindOf(folder / "a.txt"), PathKind::Text);
    for (const char* name : {"a.png", "a.JPG", "a.jpeg", "a.gif", "a.bmp"}) {
        EXPECT_EQ(kindOf(folder / name), PathKind::Picture) << name;
    }
}

TEST_F(OpeningsTest, a_dropped_picture_goes_to_the_model_that_reads_pictures) {
    openPictureModel();
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(QString::fromStdString(picture("dropped.png", 64, 64).string()))});
    QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window.get(), &enter);
    QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, {});
    QCoreApplication::sendEvent(window.get(), &drop);
    ASSERT_TRUE(test::waitFor([&] {
        return window->workbench().state().sides[0].input.picture->file.filename() == "dropped.png";
    }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(view(0)->picture().photo->original->width, 64U);
}

TEST_F(OpeningsTest, a_picture_for_a_model_of_texts_is_told_and_changes_nothing) {
    openSynthetic();
    const session::DocumentState before = window->workbench().state();
    window->open(picture("photo.png"));
    ASSERT_EQ(errors().size(), 1);
    EXPECT_TRUE(errors().front().contains(QStringLiteral("reads no pictures")));
    EXPECT_EQ(window->workbench().state(), before);
}

TEST_F(OpeningsTest, a_session_brings_everything_back) {
    openPictureModel();
    window->workbench().pickQuery(0, QueryIndex(4));
    window->workbench().setView(session::View::Density);
    const session::DocumentState kept = window->workbench().state();
    const auto file = folder / "work.fovea";
    save(file);
    EXPECT_FALSE(window->isWindowModified());
    window->workbench().pickQuery(0, QueryIndex(1));
    EXPECT_TRUE(window->isWindowModified());
    EXPECT_TRUE(window->windowTitle().contains(QStringLiteral("work.fovea")));
    window->open(file);
    ASSERT_TRUE(test::waitFor([&] { return window->workbench().state() == kept; }));
    ASSERT_TRUE(settle());
    EXPECT_FALSE(window->isWindowModified());
    EXPECT_EQ(view(0)->picture().state, panelState(0));
}

TEST_F(OpeningsTest, a_broken_session_is_told_and_what_there_was_is_kept) {
    openSynthetic();
    const session::DocumentState before = window->workbench().state();
    std::ofstream(folder / "broken.fovea") << "{\"fovea\": ";
    window->open(folder / "broken.fovea");
    ASSERT_TRUE(test::waitFor([&] { return !errors().isEmpty(); }));
    EXPECT_TRUE(errors().front().contains(QStringLiteral("broken.fovea")));
    EXPECT_EQ(window->workbench().state(), before);
}

TEST_F(OpeningsTest, what_has_moved_is_asked_for_and_found) {
    openPictureModel();
    const auto file = folder / "work.fovea";
    window->workbench().setPicture(picture("second.png"));
    ASSERT_TRUE(test::waitFor(
        [&] { return window->workbench().state().sides[0].input.picture->file.filename() == "second.png"; }));
    ASSERT_TRUE(settle());
    save(file);
    std::filesystem::rename(folder / "second.png", folder / "elsewhere.png");
    SessionFiles files(window->workbench());
    std::vector<QString> asked;
    QObject::connect(&files, &SessionFiles::moved, &files, [&](const QString& expected, bool isPicture) {
        asked.push_back(expected);
        EXPECT_TRUE(isPicture);
        files.locate(folder / "elsewhere.png");
    });
    files.open(file);
    ASSERT_TRUE(test::waitFor([&] {
        return window->workbench().state().sides[0].input.picture->file.filename() == "elsewhere.png";
    }));
    ASSERT_TRUE(settle());
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_TRUE(asked.back().contains(QStringLiteral("second.png")));
}

}  // namespace

}  // namespace fovea::app
