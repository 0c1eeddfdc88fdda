// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <limits>

#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/panel_painter.h"

namespace fovea::widgets {

namespace {

std::string readout(const PanelPicture& picture) {
    return readoutText(picture).toStdString();
}

std::string hovered(const PanelPicture& picture, std::size_t query, std::size_t key) {
    return hoverText(picture, PanelHit{QueryIndex(query), KeyIndex(key)}).toStdString();
}

}  // namespace

TEST(Readout, gives_support_entropy_and_row_sum) {
    const auto picture = test::rowPicture(test::traceOf({"a", "b", "c", "d"}), {0.5, 0, 0.5, -1}, 0);
    EXPECT_EQ(readout(picture),
              "support 2 of 3 \u00b7 entropy 0.693 nat \u00b7 threshold 0 \u00b7 row sum 1.000");
}

TEST(Readout, shows_a_row_sum_that_is_off_in_full) {
    const auto picture = test::rowPicture(test::traceOf({"a", "b"}), {0.5, 0.375}, 0);
    EXPECT_NE(readout(picture).find("row sum 0.875"), std::string::npos);
}

TEST(Readout, gives_the_interval_of_a_continuous_panel_with_a_true_minus) {
    const auto picture =
        test::withParabola(test::rowPicture(test::sentence(), test::someWeights(17, 3), 3), 6.6, 7.7);
    EXPECT_TRUE(readout(picture).starts_with("support [\u22121.1, 14.3] tokens \u00b7 mean 6.6"))
        << readout(picture);
    const auto gaussian =
        test::withGaussian(test::rowPicture(test::sentence(), test::someWeights(17, 3), 3), 6, 2);
    EXPECT_TRUE(readout(gaussian).starts_with("90 % region [2.7, 9.3] tokens")) << readout(gaussian);
}

TEST(Readout, names_empty_and_invalid_rows) {
    const auto trace = test::traceOf({"a", "b"});
    EXPECT_NE(readout(test::rowPicture(trace, {-1, -1}, 0)).find("empty row"), std::string::npos);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(readout(test::rowPicture(trace, {nan, nan}, 0)).find("not a number"), std::string::npos);
    EXPECT_EQ(readout(PanelPicture{}), "");
}

TEST(HoverText, gives_weight_in_full_rank_and_piece) {
    const double weight = 0.1234567890123456;
    const auto picture = test::rowPicture(test::traceOf({"it", "##s", "c"}), {weight, 0.5, 0.3}, 0);
    EXPECT_NE(hovered(picture, 0, 0).find("it \u2192 it"), std::string::npos);
    EXPECT_NE(hovered(picture, 0, 0).find("weight 0.1234567890123456 \u00b7 rank 3 of 3"), std::string::npos);
    EXPECT_NE(hovered(picture, 0, 1).find("\u201c##s\u201d"), std::string::npos);
}

TEST(HoverText, names_the_states) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const auto picture = test::rowPicture(test::traceOf({"a", "b", "c", "d"}), {1, 0, -1, nan}, 0);
    EXPECT_NE(hovered(picture, 0, 1).find("exact zero"), std::string::npos);
    EXPECT_NE(hovered(picture, 0, 2).find("masked"), std::string::npos);
    EXPECT_NE(hovered(picture, 0, 3).find("not a number"), std::string::npos);
}

TEST(HoverText, reads_the_cell_of_a_matrix) {
    const auto picture = test::causalPicture(test::sentence(), 11);
    EXPECT_NE(hovered(picture, 4, 9).find("masked"), std::string::npos);
    EXPECT_NE(hovered(picture, 4, 4).find("rank"), std::string::npos);
    EXPECT_EQ(hoverText(picture, {}), QString());
    EXPECT_FALSE(hoverText(picture, {QueryIndex(3), std::nullopt}).isEmpty());
}

TEST(HoverText, survives_indices_that_are_not_there) {
    const auto picture = test::rowPicture(test::traceOf({"a"}), {1}, 0);
    EXPECT_FALSE(hovered(picture, 7, 9).empty());
}

}  // namespace fovea::widgets
