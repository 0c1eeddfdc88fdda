// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/interval_drawing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

TokenFlow flowOf(const Trace& trace, double width) {
    return TokenFlow::arranged(trace.tokens, PanelFonts::of(test::themeOf(ThemeKind::Light)), width, true);
}

}  // namespace

TEST(Bracket, ends_where_the_interval_ends) {
    const auto trace = test::longText(60);
    const TokenFlow flow = flowOf(*trace, 260);
    for (const Interval interval :
         {Interval{0.5, 2.25}, Interval{3.1, 31.7}, Interval{0, 60}, Interval{17.5, 17.5}}) {
        const auto pieces = bracketPieces(flow, interval);
        ASSERT_FALSE(pieces.empty());
        EXPECT_EQ(pieces.front().startKind, BracketEnd::Tick);
        EXPECT_EQ(pieces.back().endKind, BracketEnd::Tick);
        EXPECT_DOUBLE_EQ(pieces.front().start, flow.xOf(pieces.front().line, interval.low));
        EXPECT_DOUBLE_EQ(pieces.back().end, flow.xOf(pieces.back().line, interval.high));
        EXPECT_EQ(pieces.front().line,
                  flow.tokens()[std::min<std::size_t>(59, static_cast<std::size_t>(interval.low))].line);
    }
}

TEST(Bracket, goes_over_line_breaks_without_ticks) {
    const auto trace = test::longText(60);
    const TokenFlow flow = flowOf(*trace, 260);
    const auto pieces = bracketPieces(flow, {3.5, 40.5});
    ASSERT_GT(pieces.size(), 2U);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const FlowLine& line = flow.lines()[pieces[i].line];
        EXPECT_EQ(pieces[i].line, pieces[0].line + i);
        if (i > 0) {
            EXPECT_EQ(pieces[i].startKind, BracketEnd::Continued);
            EXPECT_DOUBLE_EQ(pieces[i].start, flow.xOf(pieces[i].line, static_cast<double>(line.first)));
        }
        if (i + 1 < pieces.size()) {
            EXPECT_EQ(pieces[i].endKind, BracketEnd::Continued);
            EXPECT_DOUBLE_EQ(pieces[i].end, flow.xOf(pieces[i].line, static_cast<double>(line.past)));
        }
    }
}

TEST(Bracket, an_end_on_a_line_break_has_one_tick) {
    const auto trace = test::longText(60);
    const TokenFlow flow = flowOf(*trace, 260);
    const auto border = static_cast<double>(flow.lines()[1].first);
    const auto before = bracketPieces(flow, {1, border});
    EXPECT_EQ(before.back().line, 0U);
    EXPECT_EQ(before.back().endKind, BracketEnd::Tick);
    const auto after = bracketPieces(flow, {border, border + 2});
    EXPECT_EQ(after.front().line, 1U);
    EXPECT_EQ(after.front().startKind, BracketEnd::Tick);
    EXPECT_EQ(bracketPieces(flow, {border, border}).size(), 1U);
}

TEST(Bracket, is_open_beyond_the_text) {
    const auto trace = test::sentence();
    const TokenFlow flow = flowOf(*trace, 260);
    const auto both = bracketPieces(flow, {-4, 99});
    EXPECT_EQ(both.front().startKind, BracketEnd::Outside);
    EXPECT_EQ(both.back().endKind, BracketEnd::Outside);
    EXPECT_EQ(both.size(), flow.lines().size());
    const auto before = bracketPieces(flow, {-9, -2});
    ASSERT_EQ(before.size(), 1U);
    EXPECT_EQ(before[0].startKind, BracketEnd::Outside);
    const auto after = bracketPieces(flow, {20, 30});
    ASSERT_EQ(after.size(), 1U);
    EXPECT_EQ(after[0].endKind, BracketEnd::Outside);
    EXPECT_EQ(after[0].line, flow.lines().size() - 1);
}

TEST(Bracket, is_not_drawn_for_what_is_not_a_number) {
    const auto trace = test::sentence();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(bracketPieces(flowOf(*trace, 260), {nan, nan}).empty());
}

TEST(DensityCurve, spans_every_line_and_meets_itself_across_breaks) {
    const auto trace = test::longText(60);
    const auto picture = test::withParabola(test::rowPicture(trace, test::someWeights(60, 20), 20), 24.3, 19);
    const TokenFlow flow = flowOf(*trace, 260);
    const auto& samples = picture.row->interval->samples;
    double heightBefore = -1;
    for (std::size_t l = 0; l < flow.lines().size(); ++l) {
        const FlowLine& line = flow.lines()[l];
        const QPolygonF curve = densityCurve(flow, flow.runs()[l], samples, picture.row->interval->peak);
        ASSERT_GE(curve.size(), 2);
        EXPECT_DOUBLE_EQ(curve.first().x(), flow.xOf(l, static_cast<double>(line.first)));
        EXPECT_DOUBLE_EQ(curve.last().x(), flow.xOf(l, static_cast<double>(line.past)));
        if (heightBefore >= 0) {
            EXPECT_NEAR(line.curveBase - curve.first().y(), heightBefore, 1e-9);
        }
        heightBefore = line.curveBase - curve.last().y();
    }
}

TEST(DensityCurve, has_one_scale_over_all_lines) {
    const auto trace = test::longText(60);
    const auto picture = test::withGaussian(test::rowPicture(trace, test::someWeights(60, 20), 20), 30, 9);
    const auto& interval = *picture.row->interval;
    const TokenFlow flow = flowOf(*trace, 260);
    for (std::size_t l = 0; l < flow.lines().size(); ++l) {
        const FlowLine& line = flow.lines()[l];
        const double top = line.curveBase - line.curveTop;
        for (const QPointF& point : densityCurve(flow, flow.runs()[l], interval.samples, interval.peak)) {
            EXPECT_GE(point.y(), line.curveTop - 1e-9);
            EXPECT_LE(point.y(), line.curveBase + 1e-9);
        }
        const auto first = static_cast<double>(line.first);
        const double expected = top * std::exp(-(first - 30) * (first - 30) / 162);
        EXPECT_NEAR(
            line.curveBase - densityCurve(flow, flow.runs()[l], interval.samples, interval.peak).first().y(),
            expected, 1e-6);
    }
}

TEST(DensityCurve, is_left_out_when_a_sample_is_not_finite) {
    const auto trace = test::sentence();
    const TokenFlow flow = flowOf(*trace, 260);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(densityCurve(flow, flow.runs().front(), {{0, 1}, {1, nan}}, 1).isEmpty());
    EXPECT_TRUE(densityCurve(flow, flow.runs().front(), {}, 1).isEmpty());
    EXPECT_TRUE(densityCurve(flow, flow.runs().front(), {{0, 0}, {1, 0}}, 0).isEmpty());
}

}  // namespace fovea::widgets
