// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/legend.h"

#include <gtest/gtest.h>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

QImage drawn(const PanelPicture& picture, double width, int margin = 0) {
    const Theme theme = test::themeOf(ThemeKind::Light);
    QImage image(static_cast<int>(width) + 2 * margin,
                 static_cast<int>(std::ceil(legendHeight(picture, theme, width))) + 2 * margin,
                 QImage::Format_RGB32);
    image.fill(theme.background);
    QPainter painter(&image);
    painter.translate(margin, margin);
    EXPECT_EQ(paintLegend(painter, picture, theme, width), legendHeight(picture, theme, width));
    return image;
}

}  // namespace

TEST(Legend, tells_which_states_occur) {
    const auto trace = test::traceOf({"a", "b", "c"});
    const PanelPicture positive = test::rowPicture(trace, {0.2, 0.3, 0.5}, 0);
    const PanelPicture zero = test::rowPicture(trace, {0.5, 0, 0.5}, 0);
    const PanelPicture masked = test::rowPicture(trace, {0.5, -1, 0.5}, 0);
    const PanelPicture empty = test::rowPicture(trace, {-1, -1, -1}, 0);
    EXPECT_EQ(LegendContent::of({&positive, 1}).occurs, (std::array{false, false, false, false}));
    EXPECT_EQ(LegendContent::of({&zero, 1}).occurs, (std::array{true, false, false, false}));
    EXPECT_EQ(LegendContent::of({&masked, 1}).occurs, (std::array{false, true, false, false}));
    EXPECT_EQ(LegendContent::of({&empty, 1}).occurs, (std::array{false, true, false, true}));
    const PanelPicture both[] = {zero, masked};
    EXPECT_EQ(LegendContent::of(both).occurs, (std::array{true, true, false, false}));
    EXPECT_NE(drawn(positive, 600), drawn(zero, 600));
}

TEST(Legend, stays_inside_its_width_and_height) {
    const PanelPicture picture = test::rowPicture(test::sentence(), test::someWeights(17, 3), 3);
    for (const double width : {25.0, 60.0, 150.0, 700.0}) {
        const QImage image = drawn(picture, width, 10);
        const QRect inside = image.rect().adjusted(9, 9, -9, -9);
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (!inside.contains(x, y)) {
                    ASSERT_EQ(image.pixelColor(x, y), QColor(Qt::white)) << x << ',' << y << " at " << width;
                }
            }
        }
    }
}

TEST(Legend, is_shared_only_by_panels_with_one_scale) {
    PanelPicture first = test::rowPicture(test::sentence(), test::someWeights(17, 3), 3);
    PanelPicture second = first;
    EXPECT_TRUE(shareScale(first, second));
    second.largestWeight = 0.9;
    EXPECT_FALSE(shareScale(first, second));
    second = first;
    second.state.scale = session::ColourScale::Log;
    EXPECT_FALSE(shareScale(first, second));
    first.state.scale = second.state.scale = session::ColourScale::Rank;
    EXPECT_FALSE(shareScale(first, second));
}

}  // namespace fovea::widgets
