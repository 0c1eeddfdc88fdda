// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/image_panel.h"

#include <gtest/gtest.h>

#include <QBuffer>
#include <QSvgGenerator>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

struct Subject {
    PanelPicture picture;
    double width;
};

/// Grids and photographs of every shape, in both frames, with and without a crop.
std::vector<Subject> subjects() {
    std::vector<Subject> all;
    const auto add = [&](std::size_t rows, std::size_t columns,
                         std::shared_ptr<const image::PreparedPicture> photo, double width) {
        const auto trace = test::pictureTrace(rows, columns, {"[CLS]", "[REG]"});
        PanelPicture picture =
            test::imagePicture(trace, std::move(photo), test::heatAround(*trace->grid, 0.4, 0.5, 0.3), 2);
        all.push_back({picture, width});
        picture.state.look.frame = session::PictureFrame::AsSeen;
        all.push_back({picture, width});
    };
    add(6, 9, test::samplePhoto(90, 60, 6, 9), 420);
    add(8, 8, test::samplePhoto(300, 120, 8, 8, {90, 0, 120, 120}), 333);
    add(8, 8, test::samplePhoto(40, 100, 8, 8, {-30, 0, 100, 100}), 300);  // a padded crop
    add(1, 50, test::samplePhoto(800, 16, 1, 50), 400);
    add(50, 1, test::samplePhoto(16, 800, 50, 1), 200);
    add(4, 4, test::samplePhoto(1, 1, 4, 4), 160);
    add(5, 7, nullptr, 280);
    return all;
}

ImagePanel panelOf(const PanelPicture& picture) { return {picture, test::themeOf(ThemeKind::Light)}; }

QImage painted(const ImagePanel& panel, double width, double height) {
    QImage image(static_cast<int>(std::ceil(width)), static_cast<int>(std::ceil(height)),
                 QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    panel.paint(painter, QRectF(image.rect()));
    return image;
}

PanelPicture patchPicture(std::vector<double> weights, std::size_t query = 0) {
    const auto trace = test::pictureTrace(6, 9);
    weights.resize(1 + 54, 0.0);
    PanelPicture picture =
        test::imagePicture(trace, test::samplePhoto(450, 300, 6, 9), std::move(weights), query);
    picture.largestWeight = 1;
    return picture;
}

}  // namespace

TEST(ImagePanel, a_patchs_centre_hits_that_patch_at_every_zoom_and_in_both_frames) {
    for (const Subject& subject : subjects()) {
        const PatchGrid grid = *subject.picture.trace->grid;
        for (const double zoom : {1.0, 2.7, 64.0}) {
            for (const double room : {0.0, 240.0}) {
                ImagePanel panel = panelOf(subject.picture);
                panel.setRoom(room);
                for (std::size_t i = grid.first; i < grid.first + grid.count(); ++i) {
                    const double u =
                        (static_cast<double>(grid.columnOf(i)) + 0.5) / static_cast<double>(grid.columns);
                    const double v =
                        (static_cast<double>(grid.rowOf(i)) + 0.5) / static_cast<double>(grid.rows);
                    panel.setLens({zoom, QPointF(0.5, 0.5)});
                    panel.layout(subject.width);
                    panel.setLens(panel.showing(i));
                    panel.layout(subject.width);
                    const QPointF centre = panel.geometry().unitToPanel({u, v});
                    if (!panel.geometry().window().contains(centre))
                        continue;  // a patch larger than the window
                    const PanelHit hit = panel.hit(centre);
                    ASSERT_TRUE(hit.key) << i << " at zoom " << zoom;
                    EXPECT_EQ(hit.key->value, i);
                    EXPECT_TRUE(panel.boxOf(i).contains(centre));
                }
                EXPECT_EQ(panel.hit(panel.boxOf(1).center()).key, KeyIndex(1));
                EXPECT_FALSE(panel.hit({-5, -5}).key);
            }
        }
    }
}

TEST(ImagePanel, keeps_the_pictures_aspect_and_the_patches_square) {
    for (const Subject& subject : subjects()) {
        ImagePanel panel = panelOf(subject.picture);
        panel.layout(subject.width);
        const PictureSurface& surface = panel.geometry().surface();
        const QRectF window = panel.geometry().window();
        const double expected = surface.whole.height() / surface.whole.width();
        // Sides are whole units.
        EXPECT_NEAR(window.height(), window.width() * expected, 0.5 + 0.5 * expected);
    }
}

TEST(ImagePanel, an_exact_zero_leaves_the_photograph_untouched_in_either_kind_of_heat) {
    std::vector<double> weights(55, 0.0);
    weights[1 + 2 * 9 + 4] = 1;
    const double width = 456;
    const auto with = [&](session::HeatKind kind) {
        PanelPicture picture = patchPicture(weights);
        picture.state.look.heat = kind;
        ImagePanel panel = panelOf(picture);
        const double height = panel.layout(width);
        return std::pair(painted(panel, width, height), panel.boxOf(1 + 2 * 9 + 4));
    };
    const auto [bare, box] = with(session::HeatKind::None);
    for (const auto kind : {session::HeatKind::Smooth, session::HeatKind::Patches}) {
        const QImage heated = with(kind).first;
        for (int y = 0; y < bare.height(); ++y) {
            for (int x = 0; x < bare.width(); ++x) {
                const bool inside = box.contains(QPointF(x + 0.5, y + 0.5));
                const bool border = !box.adjusted(1, 1, -1, -1).contains(QPointF(x + 0.5, y + 0.5));
                if (!inside) {
                    ASSERT_EQ(heated.pixel(x, y), bare.pixel(x, y)) << x << ',' << y;
                } else if (!border) {
                    ASSERT_NE(heated.pixel(x, y), bare.pixel(x, y)) << x << ',' << y;
                }
            }
        }
    }
}

TEST(ImagePanel, the_four_states_look_different_in_every_theme_and_size) {
    const std::vector<double> weights{0, 1e-9, 0, -1, nan};
    for (const double width : {460.0, 70.0}) {
        PanelPicture picture = patchPicture(weights);
        // One photograph that is the same everywhere, so that only the states differ.
        picture.photo = test::samplePhoto(1, 1, 6, 9, {0, 0, 1.0, 1.0});
        for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::Print}) {
            ImagePanel panel(picture, test::themeOf(kind));
            const QImage image = painted(panel, width, panel.layout(width));
            std::vector<QImage> cells;
            for (std::size_t i = 1; i <= 4; ++i) {
                const QPoint corner = panel.boxOf(i).topLeft().toPoint() + QPoint(1, 1);
                const QSizeF size = panel.boxOf(1).size() - QSizeF(3, 3);
                cells.push_back(image.copy(QRect(corner, size.toSize())));
                for (std::size_t other = 0; other + 1 < i; ++other)
                    EXPECT_NE(cells[i - 1], cells[other]) << i << other;
            }
        }
    }
}

TEST(ImagePanel, opacity_rises_with_weight) {
    std::vector<double> weights(55, 0.0);
    for (std::size_t i = 0; i < 9; ++i) weights[1 + i] = static_cast<double>(i) / 8;
    PanelPicture picture = patchPicture(weights);
    picture.state.look.heat = session::HeatKind::Patches;
    ImagePanel panel = panelOf(picture);
    panel.layout(456);
    QImage image(460, 400, QImage::Format_RGB32);
    QPainter painter(&image);
    const RasterPlace place = RasterPlace::on(painter, panel.geometry().window(), 1);
    const HeatContent content{picture.row->weights, picture.row->states, *picture.trace->grid,
                              session::HeatKind::Patches};
    const QImage heat = heatRaster(content, WeightScale(session::ColourScale::Linear, 1),
                                   test::themeOf(ThemeKind::Light), panel.geometry(), place);
    int last = -1;
    for (std::size_t i = 0; i < 9; ++i) {
        const QPointF centre = place.toRaster.map(panel.boxOf(1 + i).center());
        const int alpha = qAlpha(heat.pixel(centre.toPoint()));
        EXPECT_GT(alpha, last);
        last = alpha;
    }
}

TEST(ImagePanel, the_query_is_outlined_white_and_others_and_the_hovered_patch_too) {
    PanelPicture picture = patchPicture(std::vector<double>(55, 0.0), 1 + 2 * 9 + 4);
    picture.state.selection.more = {QueryIndex(1 + 4 * 9 + 7)};
    ImagePanel panel = panelOf(picture);
    const double height = panel.layout(456);
    const QImage image = painted(panel, 456, height);
    const auto top = [&](std::size_t position, const QImage& of) {
        const QRectF box = panel.boxOf(position);
        return of.pixelColor(static_cast<int>(box.center().x()), static_cast<int>(std::floor(box.top())));
    };
    EXPECT_GT(top(1 + 2 * 9 + 4, image).lightness(), 230);
    EXPECT_GT(top(1 + 4 * 9 + 7, image).lightness(), 140);
    EXPECT_LT(top(1 + 1 * 9 + 2, image).lightness(), 140);
    panel.setHover(PanelHit{QueryIndex(0), KeyIndex(1 + 1 * 9 + 2)});
    EXPECT_NE(painted(panel, 456, height), image);
    panel.setHover(std::nullopt);
    EXPECT_EQ(painted(panel, 456, height), image);
}

TEST(ImagePanel, draws_nothing_outside_its_rectangle) {
    constexpr int margin = 20;
    for (const Subject& subject : subjects()) {
        for (const double width : {40.0, subject.width}) {
            PanelPicture picture =
                test::withEllipses(subject.picture, {test::ellipseWith(0.9, 0.2, 0.4, 0.1, 0.3, true, 0.7),
                                                     test::ellipseWith(0.1, 0.9, 3, 0.1, 0.01, false, 0.3)});
            picture.state.look.patchGrid = true;
            const Theme theme = test::themeOf(ThemeKind::Dark);
            const QImage image = test::rendered(picture, theme, width, margin);
            const QRect inside = image.rect().adjusted(margin, margin, -margin, -margin);
            for (int y = 0; y < image.height(); ++y) {
                for (int x = 0; x < image.width(); ++x) {
                    if (inside.contains(x, y)) continue;
                    ASSERT_EQ(image.pixel(x, y), theme.background.rgb()) << x << ',' << y << " at " << width;
                }
            }
        }
    }
}

TEST(ImagePanel, a_lens_zooms_at_the_pointer_and_stays_inside_the_picture) {
    for (const Subject& subject : subjects()) {
        ImagePanel panel = panelOf(subject.picture);
        panel.setRoom(240);
        panel.layout(subject.width);
        const QPointF point = panel.geometry().window().center() + QPointF(0.2, -0.2);
        for (const double factor : {1.2, 3.0, 20.0, 0.01, 1000.0}) {
            const QPointF before = panel.geometry().toPixel(point);
            const PictureLens lens = panel.geometry().zoomedAt(point, factor);
            EXPECT_GE(lens.zoom, 1);
            EXPECT_LE(lens.zoom, largestZoom);
            panel.setLens(lens);
            panel.layout(subject.width);
            EXPECT_NEAR(panel.geometry().lens().centre.x(), lens.centre.x(), 1e-12);
            const PictureGeometry& geometry = panel.geometry();
            const QRectF& whole = geometry.surface().whole;
            EXPECT_TRUE(whole.adjusted(-1e-6, -1e-6, 1e-6, 1e-6)
                            .contains(geometry.toPixel(geometry.window().center())));
            const bool free =
                geometry.window().size() == geometry.window().size().boundedTo(whole.size()) && lens.zoom > 3;
            if (free && factor > 1 &&
                geometry.toPanel(whole).contains(geometry.window().adjusted(-2, -2, 2, 2))) {
                EXPECT_NEAR(geometry.toPixel(point).x(), before.x(), 1.5 / geometry.pixelWidth());
                EXPECT_NEAR(geometry.toPixel(point).y(), before.y(), 1.5 / geometry.pixelHeight());
            }
        }
        panel.setLens(panel.geometry().panned({1e9, -1e9}));
        panel.layout(subject.width);
        const QRectF seen = panel.geometry().toPanel(panel.geometry().surface().whole);
        EXPECT_LE(seen.left(), panel.geometry().window().left() + 1e-6);
        EXPECT_GE(seen.bottom(), panel.geometry().window().bottom() - 1e-6);
    }
}

TEST(ImagePanel, adopted_rasters_change_no_pixel) {
    for (const Subject& subject : subjects()) {
        ImagePanel first = panelOf(subject.picture);
        const double height = first.layout(subject.width);
        painted(first, subject.width, height);
        std::vector<PanelPicture> followers(4, subject.picture);
        followers[0].state.look.heat = session::HeatKind::Patches;
        followers[1].state.scale = session::ColourScale::SquareRoot;
        followers[2].largestWeight *= 2;
        auto row = std::make_shared<session::RowEvaluation>(*subject.picture.row);
        std::reverse(row->weights.begin(), row->weights.end());
        std::reverse(row->states.begin(), row->states.end());
        followers[3].row = row;
        followers.push_back(subject.picture);  // nothing changed
        for (const PanelPicture& changed : followers) {
            ImagePanel fresh = panelOf(changed);
            fresh.layout(subject.width);
            ImagePanel adopting = panelOf(changed);
            adopting.adopt(first);
            adopting.layout(subject.width);
            EXPECT_EQ(painted(adopting, subject.width, height), painted(fresh, subject.width, height));
        }
        ImagePanel other = panelOf(subjects().front().picture);
        other.adopt(first);
        const double otherHeight = other.layout(420);
        ImagePanel untouched = panelOf(subjects().front().picture);
        untouched.layout(420);
        EXPECT_EQ(painted(other, 420, otherHeight), painted(untouched, 420, otherHeight));
    }
}

TEST(ImagePanel, embeds_the_photograph_at_its_own_resolution_or_coarser) {
    for (const std::size_t side : {60U, 3000U}) {
        const auto trace = test::pictureTrace(6, 6);
        ImagePanel panel = panelOf(test::imagePicture(trace, test::samplePhoto(side, side, 6, 6),
                                                      test::heatAround(*trace->grid, 0.4, 0.5, 0.3), 3));
        panel.layout(300);
        QBuffer buffer;
        buffer.open(QIODevice::WriteOnly);
        QSvgGenerator generator;
        generator.setOutputDevice(&buffer);
        QPainter painter(&generator);
        panel.paint(painter, QRectF(0, 0, 300, 400));
        painter.end();
        EXPECT_EQ(buffer.data().count("<image"), 2);
        const qsizetype start = buffer.data().indexOf("base64,") + 7;
        const QByteArray encoded = buffer.data().mid(start, buffer.data().indexOf('"', start) - start);
        const QImage photo = QImage::fromData(QByteArray::fromBase64(encoded));
        ASSERT_FALSE(photo.isNull());
        EXPECT_NEAR(photo.width(), side == 60 ? 60 : 294 * 3.125, 1.01);
    }
}

TEST(ImagePanel, a_grid_that_does_not_fit_or_is_missing_is_a_sentence) {
    PanelPicture picture = subjects().front().picture;
    auto trace = std::make_shared<Trace>(*picture.trace);
    for (const PatchGrid grid : {PatchGrid{6, 10, 2}, PatchGrid{0, 9, 2}, PatchGrid{6, 9, 3},
                                 PatchGrid{std::size_t{1} << 33, std::size_t{1} << 33, 2}}) {
        trace->grid = grid;
        picture.trace = trace;
        const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
        EXPECT_GT(painter->layout(300), 0);
        EXPECT_TRUE(painter->boxOf(3).isEmpty());
    }
    trace->grid = std::nullopt;
    EXPECT_GT(makePanelPainter(picture, test::themeOf(ThemeKind::Light))->layout(300), 0);
}

TEST(PictureText, shows_the_other_positions_and_one_chip_for_all_patches) {
    const auto trace = test::pictureTrace(4, 4, {"[CLS]", "what", "is", "this", "[IMG]"});
    PanelPicture picture =
        test::imagePicture(trace, nullptr, test::heatAround(*trace->grid, 0.5, 0.5, 0.4, 0.569), 2);
    picture.state.view = session::View::Text;
    EXPECT_EQ(patchesText(picture), QStringLiteral("16 patches \u00b7 0.431"));
    const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    painter->layout(300);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(painter->hit(painter->boxOf(i).center()).key, KeyIndex(i));
    EXPECT_TRUE(painter->boxOf(5).isEmpty());
}

TEST(PictureReadout, states_support_mass_beside_the_patches_and_the_ellipse_in_patches) {
    const auto trace = test::pictureTrace(10, 20);
    PanelPicture picture = test::imagePicture(
        trace, nullptr, test::heatAround(*trace->grid, 0.5, 0.5, 0.2, 0.25), 1 + 3 * 20 + 5);
    const QString discrete = readoutText(picture);
    EXPECT_TRUE(discrete.contains(QStringLiteral("of 200 patches"))) << discrete.toStdString();
    EXPECT_TRUE(discrete.contains(QStringLiteral("0.250 of the mass on other tokens")));
    // 0.1 of the width are 2 patches, 0.3 of the height are 3 patches.
    picture = test::withEllipses(picture, {test::ellipseWith(0.5, 0.25, 0.01, 0, 0.09, true)});
    const QString continuous = readoutText(picture);
    EXPECT_TRUE(continuous.contains(QStringLiteral("support 3.00 \u00d7 2.00 patches at 90\u00b0")))
        << continuous.toStdString();
    EXPECT_TRUE(continuous.contains(QStringLiteral("column 10.00, row 2.50")));
    const QString hover = hoverText(picture, {picture.state.selection.query, KeyIndex(1 + 5 * 20 + 10)});
    EXPECT_TRUE(hover.startsWith(QStringLiteral("patch 3,5 \u2192 patch 5,10"))) << hover.toStdString();
    EXPECT_TRUE(hover.contains(QStringLiteral("rank")));
    picture.state.selection.more = {QueryIndex(1), QueryIndex(2)};
    EXPECT_TRUE(readoutText(picture).startsWith(QStringLiteral("mean of 3 queries")));
}

}  // namespace fovea::widgets
