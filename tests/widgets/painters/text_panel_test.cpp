// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/text_panel.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

const double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<PanelPicture> textPictures() {
    const auto trace = test::longText(60);
    const PanelPicture plain = test::rowPicture(trace, test::someWeights(60, 20), 20);
    std::vector<double> states = test::someWeights(60, 20);
    states[3] = nan;
    states[4] = -1;
    return {plain,
            test::withParabola(plain, 22, 14),
            test::withParabola(plain, -3, 5),
            test::withParabola(plain, 60, 9),
            test::withGaussian(plain, 30, 12),
            test::rowPicture(trace, states, 4),
            test::rowPicture(trace, std::vector<double>(60, -1), 59)};
}

QImage tokenImage(double weight, std::size_t query) {
    const auto trace = test::traceOf({"word", "word", "word"});
    const PanelPicture picture = test::rowPicture(trace, {0.5, weight, 0.5}, query);
    const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    painter->layout(300);
    const QRect box = painter->boxOf(1).toAlignedRect();
    return test::rendered(picture, test::themeOf(ThemeKind::Light), 300).copy(box);
}

}  // namespace

TEST(TextPanel, shows_the_four_states_and_the_query_differently) {
    std::vector<QImage> images;
    for (const double weight : {0.2, 0.0, -1.0, nan}) images.push_back(tokenImage(weight, 0));
    images.push_back(tokenImage(0.0, 1));
    for (std::size_t i = 0; i < images.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(images[i], images[j]) << i << ' ' << j;
    }
}

TEST(TextPanel, fills_a_box_with_the_colour_of_its_weight) {
    const auto trace = test::traceOf({"word", "word"});
    const PanelPicture picture = test::rowPicture(trace, {0.25, 0.75}, 0);
    const Theme theme = test::themeOf(ThemeKind::Print);
    const auto painter = makePanelPainter(picture, theme);
    painter->layout(300);
    const QImage image = test::rendered(picture, theme, 300);
    const QRectF box = painter->boxOf(1);
    EXPECT_EQ(image.pixelColor(static_cast<int>(box.left()) + 3, static_cast<int>(box.center().y())),
              viridis(1));
}

TEST(TextPanel, painting_in_tiles_equals_painting_at_once) {
    for (const PanelPicture& picture : textPictures()) {
        const Theme theme = test::themeOf(ThemeKind::Light);
        const QImage whole = test::rendered(picture, theme, 300);
        for (const int cut : {7, 61, 100, 151}) {
            const QRectF above(0, 0, 300, cut);
            const QRectF below(0, cut, 300, whole.height() - cut);
            EXPECT_TRUE(test::nearlyEqual(test::rendered(picture, theme, 300, 0, above).copy(0, 0, 300, cut),
                                          whole.copy(0, 0, 300, cut)));
            EXPECT_TRUE(test::nearlyEqual(test::rendered(picture, theme, 300, 0, below).copy(below.toRect()),
                                          whole.copy(below.toRect())));
        }
    }
}

TEST(TextPanel, draws_nothing_outside_its_rectangle) {
    constexpr int margin = 20;
    for (const double width : {30.0, 75.0, 300.0, 900.0}) {
        for (const PanelPicture& picture : textPictures()) {
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

TEST(TextPanel, hit_inverts_box_of) {
    for (const PanelPicture& picture : textPictures()) {
        const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
        painter->layout(300);
        for (std::size_t i = 0; i < picture.trace->tokens.size(); ++i) {
            const PanelHit hit = painter->hit(painter->boxOf(i).center());
            ASSERT_TRUE(hit.key);
            EXPECT_EQ(hit.key->value, i);
            EXPECT_EQ(hit.query, picture.state.selection.query);
        }
        EXPECT_TRUE(painter->boxOf(picture.trace->tokens.size()).isEmpty());
        EXPECT_FALSE(painter->hit({-10, -10}).key);
    }
}

TEST(TextPanel, pinning_another_query_moves_no_token) {
    const auto trace = test::longText(60);
    const auto first = makePanelPainter(test::rowPicture(trace, test::someWeights(60, 20), 3),
                                        test::themeOf(ThemeKind::Light));
    const auto second = makePanelPainter(test::rowPicture(trace, test::someWeights(60, 9), 40),
                                         test::themeOf(ThemeKind::Light));
    EXPECT_EQ(first->layout(300), second->layout(300));
    for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(first->boxOf(i), second->boxOf(i));
}

TEST(TextPanel, hovering_draws_an_outline_and_moves_nothing) {
    const PanelPicture picture = test::rowPicture(test::sentence(), test::someWeights(17, 11), 11);
    const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    const double height = painter->layout(400);
    const auto draw = [&] {
        QImage image(400, static_cast<int>(height), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter on(&image);
        painter->paint(on, QRectF(image.rect()));
        return image;
    };
    const QImage before = draw();
    painter->setHover(PanelHit{QueryIndex(11), KeyIndex(2)});
    EXPECT_NE(draw(), before);
    painter->setHover(std::nullopt);
    EXPECT_EQ(draw(), before);
}

TEST(TextPanel, is_a_message_where_there_is_no_picture) {
    PanelPicture nothing;
    nothing.message = QStringLiteral("running the model");
    const Theme theme = test::themeOf(ThemeKind::Light);
    EXPECT_GT(makePanelPainter(nothing, theme)->layout(200), 0);
    EXPECT_FALSE(makePanelPainter(nothing, theme)->hit({5, 5}).key);
    PanelPicture wrong = test::rowPicture(test::sentence(), {0.5, 0.5}, 0);
    const auto painter = makePanelPainter(wrong, theme);
    painter->layout(200);
    EXPECT_TRUE(painter->boxOf(0).isEmpty());
}

TEST(TextPanel, thousands_of_tokens_lay_out_and_paint_one_screenful) {
    const auto trace = test::longText(4000);
    const PanelPicture picture =
        test::withParabola(test::rowPicture(trace, test::someWeights(4000, 2000), 2000), 2000, 800);
    const auto painter = makePanelPainter(picture, test::themeOf(ThemeKind::Light));
    const double height = painter->layout(600);
    EXPECT_GT(height, 1000);
    QImage screen(600, 400, QImage::Format_RGB32);
    QPainter on(&screen);
    on.translate(0, -height / 2);
    painter->paint(on, QRectF(0, height / 2, 600, 400));
}

}  // namespace fovea::widgets
