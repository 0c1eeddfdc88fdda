// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/export/figure_export.h"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "tests/support/test_data.h"
#include "tests/widgets/sample_pictures.h"
#include "widgets/export/figure_layout.h"

namespace fovea::widgets {

namespace {

std::vector<PanelPicture> twoPanels() {
    PanelPicture first = test::rowPicture(test::sentence(), test::someWeights(17, 11), 11);
    PanelPicture second = test::withParabola(first, 6.6, 7.7);
    second.letter = QStringLiteral("B");
    return {first, second};
}

const Provenance provenance{QStringLiteral("a-model (bert)"), QStringLiteral("0123456789ab"),
                            QStringLiteral("text")};

}  // namespace

TEST(FigureOptions, sensible_sizes_pass_and_others_are_refused_with_the_number) {
    EXPECT_TRUE(checked(FigureOptions{}));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double width : {9.0, 0.0, -5.0, 2001.0, nan, std::numeric_limits<double>::infinity()}) {
        FigureOptions options;
        options.widthMm = width;
        EXPECT_FALSE(checked(options)) << width;
    }
    for (const int dpi : {0, -300, 35, 2401}) {
        FigureOptions options;
        options.dpi = dpi;
        const auto refused = checked(options);
        ASSERT_FALSE(refused) << dpi;
        EXPECT_NE(refused.error().message.find(std::to_string(dpi)), std::string::npos);
    }
    FigureOptions huge{.format = FigureFormat::Png, .widthMm = 2000, .dpi = 2400};
    EXPECT_FALSE(checked(huge));
    huge.format = FigureFormat::Svg;
    EXPECT_TRUE(checked(huge));
}

TEST(FigureFormat, follows_the_ending_of_the_name) {
    EXPECT_EQ(formatOf("a/b.svg"), FigureFormat::Svg);
    EXPECT_EQ(formatOf("b.PDF"), FigureFormat::Pdf);
    EXPECT_EQ(formatOf("b.x.png"), FigureFormat::Png);
    for (const char* name : {"b.jpg", "svg", "", "b."}) {
        const auto refused = formatOf(name);
        ASSERT_FALSE(refused) << name;
        EXPECT_EQ(refused.error().kind, ErrorKind::Usage);
    }
}

TEST(ExportFigure, a_place_that_cannot_be_written_is_refused_by_name) {
    const test::TemporaryFolder folder;
    const auto panels = twoPanels();
    for (const char* format : {"svg", "pdf", "png"}) {
        FigureOptions options{.format = *formatOf(std::string("x.") + format)};
        const auto path = folder / (std::string("missing/figure.") + format);
        const auto refused = exportFigure(panels, provenance, options, path);
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("figure."), std::string::npos) << refused.error().message;
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ExportFigure, bad_options_and_no_panels_leave_what_was_there) {
    const test::TemporaryFolder folder;
    const auto path = folder / "figure.svg";
    std::ofstream(path) << "before";
    const auto panels = twoPanels();
    EXPECT_FALSE(exportFigure(panels, provenance, FigureOptions{.widthMm = 1}, path));
    EXPECT_FALSE(exportFigure({}, provenance, FigureOptions{}, path));
    std::string content;
    std::getline(std::ifstream(path), content);
    EXPECT_EQ(content, "before");
}

TEST(FigureLayout, puts_panels_side_by_side_only_where_they_have_room) {
    const auto panels = twoPanels();
    const double beside = FigureLayout(panels, provenance, FigureOptions{.widthMm = 160}).size().height();
    const double stacked = FigureLayout(panels, provenance, FigureOptions{.widthMm = 100}).size().height();
    EXPECT_GT(stacked, beside * 1.3);
    EXPECT_NEAR(FigureLayout(panels, provenance, FigureOptions{.widthMm = 100}).size().width() * 25.4 / 96,
                100, 1e-9);
}

TEST(FigureLayout, every_width_and_option_draws_inside_the_figure) {
    auto panels = twoPanels();
    panels.push_back(test::causalPicture(test::sentence(), 11));
    for (const double width : {10.0, 25.0, 60.0, 160.0, 400.0}) {
        for (const bool extras : {false, true}) {
            FigureOptions options{.format = FigureFormat::Png, .widthMm = width, .dpi = 96};
            options.legend = options.caption = extras;
            const FigureLayout figure(panels, provenance, options);
            constexpr int margin = 15;
            const QSize size = figure.size().toSize();
            QImage image(size.width() + 2 * margin, size.height() + 2 * margin, QImage::Format_RGB32);
            image.fill(Qt::green);
            QPainter painter(&image);
            painter.translate(margin, margin);
            figure.paint(painter);
            painter.end();
            const QRect inside = image.rect().adjusted(margin - 1, margin - 1, 1 - margin, 1 - margin);
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (!inside.contains(x, y)) {
                        ASSERT_EQ(image.pixelColor(x, y), QColor(Qt::green))
                            << x << ',' << y << " at " << width;
                    }
                }
            }
        }
    }
}

TEST(Caption, names_model_place_query_mechanism_parameters_and_hash) {
    auto panels = twoPanels();
    panels[1].state.mechanism.density.alpha = 1.75;
    panels[1].state.mechanism.density.temperature = 0.8;
    const QString caption = captionText(panels, provenance);
    for (const char* part : {"a-model (bert)", "layer 3", "head 1", "\u201cit\u201d",
                             "\u03b1\u00a0=\u00a01.75", "T\u00a0=\u00a00.8", "0123456789ab", "A: ", "B: "}) {
        EXPECT_TRUE(caption.contains(QString::fromUtf8(part))) << part << " in " << caption.toStdString();
    }
}

TEST(RenderFigure, has_the_size_that_was_asked_for) {
    const auto panels = twoPanels();
    const QImage image = renderFigure(panels, provenance, FigureOptions{.widthMm = 100, .dpi = 254});
    EXPECT_EQ(image.width(), 1000);
    EXPECT_EQ(image.dotsPerMeterX(), 10000);
    EXPECT_TRUE(renderFigure({}, provenance, FigureOptions{}).isNull());
    EXPECT_TRUE(renderFigure(panels, provenance, FigureOptions{.widthMm = -1}).isNull());
}

TEST(RenderFigure, follows_the_theme) {
    const auto panels = twoPanels();
    const QImage dark = renderFigure(panels, provenance, FigureOptions{.dpi = 96, .theme = ThemeKind::Dark});
    EXPECT_EQ(dark.pixelColor(1, 1), Theme::of(ThemeKind::Dark, QFont()).background);
}

}  // namespace fovea::widgets
