// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/token_flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/token_text.h"

namespace fovea::widgets {

namespace {

PanelFonts fonts() {
    return PanelFonts::of(test::themeOf(ThemeKind::Light));
}

TokenFlow flowOf(const Trace& trace, double width, bool interval = true) {
    return TokenFlow::arranged(trace.tokens, fonts(), width, interval);
}

}  // namespace

TEST(TokenFlow, keeps_every_token_once_in_order_inside_the_width) {
    const auto trace = test::longText(120);
    for (const double width : {20.0, 90.0, 227.0, 600.0, 5000.0}) {
        const TokenFlow flow = flowOf(*trace, width);
        std::size_t next = 0;
        for (std::size_t l = 0; l < flow.lines().size(); ++l) {
            EXPECT_EQ(flow.lines()[l].first, next);
            EXPECT_LT(flow.lines()[l].first, flow.lines()[l].past);
            next = flow.lines()[l].past;
        }
        EXPECT_EQ(next, trace->tokens.size());
        for (const FlowToken& token : flow.tokens()) {
            EXPECT_GE(token.box.left(), 0);
            EXPECT_LE(token.box.right(), width + 1e-9);
            EXPECT_LE(token.box.bottom(), flow.height());
        }
    }
}

TEST(TokenFlow, boxes_never_overlap) {
    const auto trace = test::longText(120);
    const TokenFlow flow = flowOf(*trace, 300);
    for (std::size_t i = 1; i < flow.tokens().size(); ++i) {
        EXPECT_FALSE(flow.tokens()[i].box.intersects(flow.tokens()[i - 1].box)) << i;
    }
}

TEST(TokenFlow, axis_is_monotone_and_continuous_within_lines_and_spans_them) {
    const auto trace = test::longText(90);
    const TokenFlow flow = flowOf(*trace, 260);
    ASSERT_GT(flow.lines().size(), 3U);
    for (std::size_t l = 0; l < flow.lines().size(); ++l) {
        const FlowLine& line = flow.lines()[l];
        double before = flow.xOf(l, static_cast<double>(line.first));
        EXPECT_DOUBLE_EQ(before, flow.tokens()[line.first].box.left());
        const double step = 1.0 / 64;
        for (double x = static_cast<double>(line.first) + step; x <= static_cast<double>(line.past);
             x += step) {
            const double here = flow.xOf(l, x);
            EXPECT_GT(here, before);
            EXPECT_LT(here - before, 200 * step);
            before = here;
        }
        EXPECT_DOUBLE_EQ(flow.xOf(l, static_cast<double>(line.past)),
                         flow.tokens()[line.past - 1].box.right());
    }
}

TEST(TokenFlow, axis_goes_on_at_the_next_line_where_it_left_off) {
    const auto trace = test::longText(60);
    const TokenFlow flow = flowOf(*trace, 260);
    for (std::size_t l = 1; l < flow.lines().size(); ++l) {
        const auto border = static_cast<double>(flow.lines()[l].first);
        EXPECT_EQ(border, static_cast<double>(flow.lines()[l - 1].past));
        EXPECT_DOUBLE_EQ(flow.xOf(l - 1, border), flow.xOf(l - 1, border + 5)) << "held at the line's end";
        EXPECT_DOUBLE_EQ(flow.xOf(l, border), flow.xOf(l, border - 5)) << "held at the line's start";
    }
}

TEST(TokenFlow, a_token_is_linear_over_its_cell_and_the_cell_holds_its_box) {
    const auto trace = test::sentence();
    const TokenFlow flow = flowOf(*trace, 300);
    for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
        const FlowToken& token = flow.tokens()[i];
        const double start = flow.xOf(token.line, static_cast<double>(i));
        EXPECT_NEAR(flow.xOf(token.line, static_cast<double>(i) + 0.25),
                    start + 0.25 * (token.cellEnd - token.cellStart), 1e-9);
        EXPECT_LE(token.cellStart, token.box.left());
        EXPECT_GE(token.cellEnd, token.box.right());
    }
}

TEST(TokenFlow, hit_inverts_the_boxes) {
    const auto trace = test::longText(80);
    const TokenFlow flow = flowOf(*trace, 333);
    for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
        EXPECT_EQ(flow.tokenAt(flow.tokens()[i].box.center()), i);
    }
    EXPECT_FALSE(flow.tokenAt({-5, 20}));
    EXPECT_FALSE(flow.tokenAt({20, flow.height() + 1}));
}

TEST(TokenFlow, sub_words_touch_and_words_do_not) {
    const auto trace = test::traceOf({"[CLS]", "un", "##like", "##ly", "so", "[SEP]"});
    const TokenFlow flow = flowOf(*trace, 900);
    EXPECT_DOUBLE_EQ(flow.tokens()[1].box.right(), flow.tokens()[2].box.left());
    EXPECT_DOUBLE_EQ(flow.tokens()[2].box.right(), flow.tokens()[3].box.left());
    EXPECT_GT(flow.tokens()[4].box.left(), flow.tokens()[3].box.right());
    EXPECT_GT(flow.tokens()[1].box.left(), flow.tokens()[0].box.right());
}

TEST(TokenFlow, words_stay_whole_where_they_fit_a_line) {
    const auto trace = test::longText(150);
    const TokenFlow flow = flowOf(*trace, 280);
    for (const FlowLine& line : flow.lines()) {
        EXPECT_FALSE(trace->tokens[line.first].piece.starts_with("##")) << trace->tokens[line.first].piece;
    }
}

TEST(TokenFlow, ideographs_may_begin_a_line) {
    std::vector<std::string> words{"[CLS]"};
    for (int i = 0; i < 60; ++i) words.push_back(i == 0 ? "\u6ce8" : "##\u610f");
    const auto trace = test::traceOf(words);
    const TokenFlow flow = flowOf(*trace, 200);
    EXPECT_GT(flow.lines()[0].past, 4U);
}

TEST(TokenFlow, a_text_from_right_to_left_runs_from_right_to_left) {
    const auto trace =
        test::traceOf({"[CLS]", "\u05e9\u05dc\u05d5\u05dd", "\u05e2\u05d5\u05dc\u05dd", "[SEP]"});
    const TokenFlow flow = flowOf(*trace, 500);
    EXPECT_TRUE(flow.mirrored(0));
    EXPECT_GT(flow.tokens()[0].box.left(), flow.tokens()[1].box.right());
    EXPECT_GT(flow.xOf(0, 0), flow.xOf(0, 1));
    EXPECT_EQ(flow.tokenAt(flow.tokens()[2].box.center()), 2U);
    for (const FlowToken& token : flow.tokens()) {
        EXPECT_GE(token.box.left(), 0);
        EXPECT_LE(token.box.right(), 500);
    }
}

TEST(TokenFlow, a_token_wider_than_the_line_is_elided) {
    const auto trace = test::traceOf({"short", std::string(5000, 'w'), "end"});
    const TokenFlow flow = flowOf(*trace, 120);
    EXPECT_LE(textWidth(fonts().body, flow.tokens()[1].text), 120);
    EXPECT_TRUE(flow.tokens()[1].text.endsWith(QChar(0x2026)));
}

TEST(TokenFlow, line_ranges_are_those_that_touch) {
    const auto trace = test::longText(200);
    const TokenFlow flow = flowOf(*trace, 300);
    for (double top = -30; top < flow.height() + 30; top += 17) {
        const auto [first, past] = flow.linesWithin(top, top + 40);
        for (std::size_t l = 0; l < flow.lines().size(); ++l) {
            const bool touches = flow.lines()[l].bottom >= top && flow.lines()[l].top <= top + 40;
            EXPECT_EQ(touches, l >= first && l < past) << l << " at " << top;
        }
    }
}

TEST(TokenText, makes_white_space_and_controls_visible) {
    const auto shown = [](const std::string& text) {
        return tokenText(TokenLabel{.id = 0, .text = text, .piece = "piece"});
    };
    EXPECT_EQ(shown("\n"), QStringLiteral("\u21b5"));
    EXPECT_EQ(shown("\t"), QStringLiteral("\u21e5"));
    EXPECT_EQ(shown("  "), QStringLiteral("\u2423\u2423"));
    EXPECT_EQ(shown(std::string(1, '\x01')), QStringLiteral("\u2401"));
    EXPECT_EQ(shown(""), QStringLiteral("piece"));
    EXPECT_EQ(shown("\xff"), QString(QChar(QChar::ReplacementCharacter)));
    EXPECT_EQ(shown("\U0001F600"), QString::fromUtf8("\U0001F600"));
    EXPECT_LE(shown(std::string(1 << 20, 'x')).size(), 121);
}

TEST(Wrapped, loses_nothing_and_keeps_to_the_width) {
    const QFont font = fonts().small;
    const QString text = QStringLiteral(
        "a caption that goes on for longer than a line and has averyveryveryverylongword in it");
    for (const double width : {1.0, 30.0, 80.0, 4000.0}) {
        const QStringList lines = wrapped(font, text, width);
        QString joined = lines.join(QString());
        EXPECT_EQ(joined.remove(QLatin1Char(' ')), QString(text).remove(QLatin1Char(' ')));
        for (const QString& line : lines) EXPECT_TRUE(line.size() == 1 || textWidth(font, line) <= width);
    }
    EXPECT_EQ(wrapped(font, QString(), 50).size(), 1);
}

}  // namespace fovea::widgets
