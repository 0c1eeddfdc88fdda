// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/figure_dialog.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <filesystem>

#include "tests/app/window/window_fixture.h"

namespace fovea::app {

namespace {

TEST(FigureDialog, asks_for_both_panels_unless_told) {
    const FigureDialog dialog(QStringLiteral("/tmp"));
    const FigureDialog::Request request = dialog.request();
    EXPECT_EQ(request.panels, (std::vector<std::size_t>{0, 1}));
    EXPECT_EQ(request.file.extension(), ".svg");
    EXPECT_FALSE(request.isData);
}

TEST(FigureDialog, numbers_are_asked_for_by_the_ending) {
    FigureDialog dialog(QStringLiteral("/tmp"));
    for (const char* name : {"/tmp/a.csv", "/tmp/a.JSON", "/tmp/a.npz"}) {
        dialog.fileEdit()->setText(QLatin1String(name));
        EXPECT_TRUE(dialog.request().isData) << name;
    }
}

struct FigureExport : WindowFixture {
    FigureDialog* openDialog() {
        window->actions().exportFigure->trigger();
        return window->findChild<FigureDialog*>();
    }
    static void pressExport(FigureDialog& dialog) {
        for (auto* button : dialog.findChildren<QPushButton*>()) {
            if (button->text().remove(QLatin1Char('&')) == QLatin1String("Export")) {
                QTest::mouseClick(button, Qt::LeftButton);
            }
        }
    }
};

TEST_F(FigureExport, writes_every_format_and_closes) {
    openSynthetic();
    const test::TemporaryFolder folder;
    for (const char* name : {"figure.svg", "figure.pdf", "figure.png", "figure.csv"}) {
        FigureDialog* dialog = openDialog();
        ASSERT_NE(dialog, nullptr);
        dialog->fileEdit()->setText(QString::fromStdString((folder / name).string()));
        pressExport(*dialog);
        ASSERT_TRUE(test::waitFor([&] { return window->findChild<FigureDialog*>() == nullptr; })) << name;
        EXPECT_GT(std::filesystem::file_size(folder / name), 100U) << name;
    }
}

TEST_F(FigureExport, a_place_that_cannot_be_written_is_told_in_the_dialog) {
    openSynthetic();
    FigureDialog* dialog = openDialog();
    ASSERT_NE(dialog, nullptr);
    dialog->fileEdit()->setText(QStringLiteral("/no/such/folder/figure.svg"));
    pressExport(*dialog);
    EXPECT_TRUE(test::waitFor([&] { return !dialog->complaint().isEmpty(); }));
    EXPECT_TRUE(dialog->isVisible());
}

}  // namespace

}  // namespace fovea::app
