// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

using session::ColourScale;

TEST(Viridis, has_the_published_colours) {
    // matplotlib 3: viridis at 0, 64/255, 128/255, 191/255, 1.
    const std::pair<double, QRgb> published[] = {{0, 0x440154},
                                                 {64 / 255.0, 0x3b528b},
                                                 {128 / 255.0, 0x21918c},
                                                 {191 / 255.0, 0x5ec962},
                                                 {1, 0xfde725}};
    for (const auto& [position, colour] : published) {
        const QColor expected = QColor::fromRgb(colour);
        const QColor found = viridis(position);
        EXPECT_LE(std::abs(found.red() - expected.red()), 2) << position;
        EXPECT_LE(std::abs(found.green() - expected.green()), 2) << position;
        EXPECT_LE(std::abs(found.blue() - expected.blue()), 2) << position;
    }
}

TEST(Viridis, grows_lighter_from_end_to_end) {
    // Eight bits a channel: neighbours may tie or dip by a rounding step.
    double before = -1;
    for (int i = 0; i < 256; ++i) {
        const double luminance = relativeLuminance(viridis(i / 255.0));
        EXPECT_GT(luminance, before - 1e-3) << i;
        before = luminance;
        if (i >= 4) {
            EXPECT_GT(luminance, relativeLuminance(viridis((i - 4) / 255.0))) << i;
        }
    }
}

TEST(Viridis, holds_positions_outside_at_the_ends) {
    EXPECT_EQ(viridis(-3), viridis(0));
    EXPECT_EQ(viridis(7), viridis(1));
    EXPECT_EQ(viridis(std::numeric_limits<double>::quiet_NaN()), viridis(0));
    EXPECT_EQ(viridis(std::numeric_limits<double>::infinity()), viridis(1));
}

TEST(ReadableOn, reaches_a_contrast_of_four_and_a_half_on_every_colour) {
    for (int red = 0; red < 256; red += 15) {
        for (int green = 0; green < 256; green += 15) {
            for (int blue = 0; blue < 256; blue += 15) {
                const QColor background(red, green, blue);
                EXPECT_GE(contrast(readableOn(background), background), 4.5)
                    << background.name().toStdString();
            }
        }
    }
}

TEST(WeightScale, keeps_the_order_of_weights_and_ends_at_the_largest) {
    const std::vector<double> weights{0, 1e-6, 1e-3, 0.01, 0.2, 0.21, 0.5};
    for (const ColourScale kind :
         {ColourScale::Linear, ColourScale::SquareRoot, ColourScale::Log, ColourScale::Rank}) {
        const WeightScale scale(kind, 0.5, weights);
        EXPECT_EQ(scale.position(0), 0) << scale.name().toStdString();
        EXPECT_EQ(scale.position(-1), 0);
        EXPECT_EQ(scale.position(0.5), 1);
        EXPECT_EQ(scale.position(9), 1);
        for (std::size_t i = 1; i < weights.size(); ++i) {
            EXPECT_LE(scale.position(weights[i - 1]), scale.position(weights[i]))
                << scale.name().toStdString();
        }
    }
}

TEST(WeightScale, gives_the_promised_formulas) {
    EXPECT_DOUBLE_EQ(WeightScale(ColourScale::Linear, 0.8).position(0.2), 0.25);
    EXPECT_DOUBLE_EQ(WeightScale(ColourScale::SquareRoot, 0.8).position(0.2), 0.5);
    EXPECT_NEAR(WeightScale(ColourScale::Log, 1).position(0.01), 0.5, 1e-12);
    EXPECT_EQ(WeightScale(ColourScale::Log, 1).position(1e-5), 0);
    const std::vector<double> weights{0.1, 0.2, 0.3, 0, 0};
    EXPECT_DOUBLE_EQ(WeightScale(ColourScale::Rank, 0.3, weights).position(0.2), 0.5);
}

TEST(WeightScale, inverts_positions) {
    for (const ColourScale kind : {ColourScale::Linear, ColourScale::SquareRoot, ColourScale::Log}) {
        const WeightScale scale(kind, 0.37);
        for (const double position : {0.1, 0.5, 0.9, 1.0}) {
            EXPECT_NEAR(scale.position(scale.weightAt(position)), position, 1e-12);
        }
    }
}

TEST(WeightScale, survives_a_largest_weight_that_is_none) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const double largest : {0.0, -1.0, nan}) {
        const double position = WeightScale(ColourScale::Linear, largest).position(0.5);
        EXPECT_TRUE(position >= 0 && position <= 1);
    }
    EXPECT_EQ(WeightScale(ColourScale::Linear, 1).position(nan), 0);
}

TEST(Theme, writes_every_text_readably) {
    for (const ThemeKind kind : {ThemeKind::Light, ThemeKind::Dark, ThemeKind::Print}) {
        const Theme theme = test::themeOf(kind);
        for (const QColor& background : {theme.background, theme.window}) {
            for (const QColor& text :
                 {theme.text, theme.mutedText, theme.accent, theme.warning, theme.invalid}) {
                EXPECT_GE(contrast(text, background), 4.5)
                    << static_cast<int>(kind) << ' ' << text.name().toStdString();
            }
        }
        EXPECT_GE(contrast(theme.accent, theme.accentFill), 4.5) << static_cast<int>(kind);
        EXPECT_GE(contrast(theme.warning, theme.warningFill), 4.5) << static_cast<int>(kind);
    }
}

TEST(Theme, follows_a_dark_palette) {
    QPalette dark;
    dark.setColor(QPalette::Window, Qt::black);
    dark.setColor(QPalette::WindowText, Qt::white);
    EXPECT_EQ(Theme::following(dark, QFont()).kind, ThemeKind::Dark);
    QPalette light;
    light.setColor(QPalette::Window, Qt::white);
    light.setColor(QPalette::WindowText, Qt::black);
    EXPECT_EQ(Theme::following(light, QFont()).kind, ThemeKind::Light);
}

}  // namespace fovea::widgets
