// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QImageReader>
#include <QProcess>
#include <QRegularExpression>
#include <QThread>
#include <QXmlStreamReader>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/test_data.h"
#include "tests/widgets/sample_pictures.h"
#include "widgets/export/figure_export.h"

namespace fovea::widgets {

namespace {

namespace fs = std::filesystem;

const Provenance provenance{QStringLiteral("a-model (bert)"), QStringLiteral("0123456789ab"),
                            QStringLiteral("text")};

std::vector<PanelPicture> panels() {
    PanelPicture first = test::rowPicture(test::sentence(), test::someWeights(17, 11), 11);
    PanelPicture second = test::withParabola(first, 6.6, 7.7);
    PanelPicture third = test::causalPicture(test::sentence(), 11);
    second.letter = QStringLiteral("B");
    third.letter = QStringLiteral("C");
    const auto trace = test::pictureTrace(6, 9);
    PanelPicture fourth =
        test::withEllipses(test::imagePicture(trace, test::samplePhoto(90, 60, 6, 9),
                                              test::heatAround(*trace->grid, 0.4, 0.5, 0.3), 20),
                           {test::ellipseWith(0.4, 0.5, 0.03, 0.01, 0.04, true)});
    fourth.letter = QStringLiteral("D");
    return {first, second, third, fourth};
}

std::string bytesOf(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string written(const fs::path& path, FigureOptions options = {}) {
    options.format = *formatOf(path);
    const auto pictures = panels();
    const auto done = exportFigure(pictures, provenance, options, path);
    EXPECT_TRUE(done) << (done ? "" : done.error().message);
    return bytesOf(path);
}

const std::vector<std::string> names = {"figure.svg", "figure.pdf", "figure.png"};

}  // namespace

/// Serves the test below in a process of its own.
TEST(FigureFiles, are_written_where_the_environment_says) {
    const char* folder = std::getenv("FOVEA_TEST_FIGURES");
    if (!folder) GTEST_SKIP() << "runs only as a child of the next test";
    for (const std::string& name : names) written(fs::path(folder) / name);
}

TEST(FigureFiles, are_the_same_bytes_in_every_process) {
    const test::TemporaryFolder folder;
    std::vector<std::string> first;
    for (const std::string& name : names) first.push_back(written(folder / name));
    for (int run = 0; run < 2; ++run) {
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_EQ(written(folder / names[i]), first[i]) << names[i];
        QProcess child;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("FOVEA_TEST_FIGURES"),
                           QString::fromStdString(folder.path().string()));
        environment.insert(QStringLiteral("TZ"),
                           run == 0 ? QStringLiteral("Asia/Seoul") : QStringLiteral("UTC"));
        child.setProcessEnvironment(environment);
        // Another second on the clock, should a file hold the time.
        QThread::msleep(1100);
        child.start(QCoreApplication::applicationFilePath(),
                    {QStringLiteral("--gtest_filter=FigureFiles.are_written_where_the_environment_says")});
        ASSERT_TRUE(child.waitForFinished(120000));
        ASSERT_EQ(child.exitCode(), 0);
        for (std::size_t i = 0; i < names.size(); ++i)
            EXPECT_EQ(bytesOf(folder / names[i]), first[i]) << names[i];
    }
}

TEST(SvgFigure, is_well_formed_with_its_size_in_millimetres_and_text_as_text) {
    const test::TemporaryFolder folder;
    const std::string svg = written(folder / "figure.svg", {.widthMm = 160});
    QXmlStreamReader reader(QByteArray::fromStdString(svg));
    int texts = 0;
    QString width;
    while (!reader.atEnd()) {
        reader.readNext();
        if (!reader.isStartElement()) continue;
        if (reader.name() == QStringLiteral("svg"))
            width = reader.attributes().value(QStringLiteral("width")).toString();
        texts += reader.name() == QStringLiteral("text");
    }
    EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
    EXPECT_EQ(width, QStringLiteral("160mm"));
    EXPECT_GT(texts, 50);
    EXPECT_NE(svg.find(">trophy<"), std::string::npos);
}

TEST(SvgFigure, has_no_text_when_outlines_are_asked_for) {
    const test::TemporaryFolder folder;
    EXPECT_EQ(written(folder / "figure.svg", {.textAsOutlines = true}).find("<text"), std::string::npos);
}

TEST(SvgFigure, stays_well_formed_with_any_token) {
    const test::TemporaryFolder folder;
    const std::vector<std::string> tokens{"<b>", "&",     std::string("a\0b", 3), "\xff\xfe", "\uffff", "\"'",
                                          "]]>", "\u202e"};
    const std::vector<PanelPicture> pictures{
        test::rowPicture(test::traceOf(tokens), test::someWeights(8, 2), 2)};
    ASSERT_TRUE(exportFigure(pictures, Provenance{QStringLiteral("m\x01<"), {}, {}}, {}, folder / "f.svg"));
    QXmlStreamReader reader(QByteArray::fromStdString(bytesOf(folder / "f.svg")));
    while (!reader.atEnd()) reader.readNext();
    EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
}

TEST(PdfFigure, embeds_its_fonts_and_holds_one_page_of_the_right_width) {
    const test::TemporaryFolder folder;
    const std::string pdf = written(folder / "figure.pdf", {.widthMm = 127});
    EXPECT_TRUE(pdf.starts_with("%PDF-"));
    EXPECT_NE(pdf.find("/FontFile"), std::string::npos);
    const QRegularExpression box(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) "));
    const auto match = box.match(QString::fromLatin1(pdf.data(), static_cast<qsizetype>(pdf.size())));
    ASSERT_TRUE(match.hasMatch());
    EXPECT_NEAR(match.captured(1).toDouble(), 360, 1);
}

TEST(PngFigure, has_its_resolution_and_size) {
    const test::TemporaryFolder folder;
    written(folder / "figure.png", {.widthMm = 127, .dpi = 300});
    const QImage image(QString::fromStdString((folder / "figure.png").string()));
    EXPECT_EQ(image.width(), 1500);
    EXPECT_EQ(image.dotsPerMeterX(), 11811);
}

TEST(PngFigure, too_many_pixels_are_refused) {
    const test::TemporaryFolder folder;
    const std::vector<PanelPicture> pictures{
        test::rowPicture(test::longText(4000), test::someWeights(4000, 2), 2)};
    const FigureOptions options{.format = FigureFormat::Png, .widthMm = 330, .dpi = 2400};
    const auto refused = exportFigure(pictures, provenance, options, folder / "f.png");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("megapixels"), std::string::npos);
    EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace fovea::widgets
