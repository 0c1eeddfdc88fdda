// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/panel_card.h"

#include <gtest/gtest.h>

#include "tests/widgets/sample_pictures.h"
#include "widgets/views/panel_view.h"

namespace fovea::widgets {

namespace {

TEST(PanelCard, the_chip_says_the_mechanism_of_the_picture) {
    PanelCard card(QStringLiteral("A"));
    const auto trace = test::sentence();
    PanelPicture picture = test::rowPicture(trace, test::someWeights(trace->tokens.size(), 1), 1);
    for (const double alpha : {1.0, 1.5, 3.25}) {
        picture.state.mechanism.weights.alpha = alpha;
        card.setPicture(picture);
        EXPECT_EQ(card.chipText(), QString::fromStdString(session::mechanismText(picture.state.mechanism)));
        EXPECT_EQ(card.view()->picture().state, picture.state);
    }
}

TEST(PanelCard, without_a_picture_there_is_no_chip) {
    PanelCard card(QStringLiteral("A"));
    PanelPicture picture;
    picture.message = QStringLiteral("opening …");
    card.setPicture(picture);
    EXPECT_TRUE(card.chipText().isEmpty());
}

TEST(PanelCard, fits_into_a_narrow_window) {
    PanelCard card(QStringLiteral("A"));
    const auto trace = test::sentence();
    card.setPicture(
        test::withParabola(test::rowPicture(trace, test::someWeights(trace->tokens.size(), 1), 1), 4, 3));
    EXPECT_LE(card.minimumSizeHint().width(), 230);
}

}  // namespace

}  // namespace fovea::widgets
