// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that are not read letter by letter from left to right: characters of several tokens, letters that
// join, lines in which directions mix.
#include <gtest/gtest.h>

#include <QFontMetricsF>
#include <algorithm>
#include <map>
#include <set>

#include "core/session/piece_labels.h"
#include "core/session/source_labels.h"
#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/interval_drawing.h"
#include "widgets/painters/text_panel.h"
#include "widgets/painters/token_box.h"
#include "widgets/painters/token_text.h"
#include "widgets/view_models/colour_map.h"

namespace fovea::widgets {

namespace {

using Labels = std::vector<TokenLabel>;

PanelFonts fonts() { return PanelFonts::of(test::themeOf(ThemeKind::Light)); }

// Tokens of one byte each of what is not ASCII, and words else, as vocabularies of bytes cut them.
Labels inBytes(const std::string& text) {
    std::vector<text::Token> tokens;
    std::size_t point = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const auto byte = static_cast<unsigned char>(text[at]);
        const bool ascii = byte < 0x80;
        if (ascii || (byte & 0xC0U) != 0x80U) ++point;
        char piece[8];
        std::snprintf(piece, sizeof piece, "<0x%02X>", byte);
        text::Token token;
        token.id = byte;
        token.piece = piece;
        token.first = point - 1;
        token.pastLast = point;
        tokens.push_back(token);
    }
    return session::labelsOfSources(tokens, {text, {}});
}

// One token a word, or several where "|" stands.
Labels inWords(const QString& text) {
    std::string source;
    std::vector<text::Token> tokens;
    std::size_t point = 0;
    for (const QString& word : text.split(QLatin1Char(' '))) {
        if (!source.empty()) source += ' ', ++point;
        for (const QString& piece : word.split(QLatin1Char('|'))) {
            text::Token token;
            token.piece = piece.toStdString();
            token.first = point;
            point += static_cast<std::size_t>(piece.toUcs4().size());
            token.pastLast = point;
            source += token.piece;
            tokens.push_back(token);
        }
    }
    return session::labelsOfSources(tokens, {source, {}});
}

TokenFlow flowOf(const Labels& labels, double width, bool interval = true) {
    return TokenFlow::arranged(labels, fonts(), width, interval);
}

std::shared_ptr<const Trace> traceOf(const Labels& labels) {
    auto trace = std::make_shared<Trace>();
    trace->tokens = labels;
    return trace;
}

const std::string hardText =
    "x 日本語 é e\u0301 👩‍👩‍👧 🇩🇪 नि ที่ שלום سلام 한글 y";
const QString bothWays =
    QStringLiteral("\u05e9\u05dc\u05d5\u05dd world \u05d1|\u05e9\u05e0\u05ea 20|24 \u05e2\u05d5\u05dc\u05dd "
                   "two words \u05e8\u05d1");

// Tokens of a line from left to right.
std::vector<std::size_t> fromLeft(const TokenFlow& flow, std::size_t line) {
    std::vector<std::size_t> order;
    for (std::size_t i = flow.lines()[line].first; i < flow.lines()[line].past; ++i) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return flow.tokens()[i].box.left(); });
    return order;
}

}  // namespace

TEST(SharedCharacters, stand_once_over_all_of_their_tokens_at_every_width) {
    const Labels labels = inBytes(hardText);
    for (const double width : {250.0, 400.0, 1200.0}) {
        const TokenFlow flow = flowOf(labels, width);
        ASSERT_EQ(flow.tokens().size(), labels.size());
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const FlowToken& token = flow.tokens()[i];
            EXPECT_EQ(token.sharesPrevious, labels[i].part.continues()) << i;
            EXPECT_EQ(token.text.isEmpty(), labels[i].part.continues()) << i;
            if (!token.sharesPrevious) continue;
            EXPECT_EQ(token.line, flow.tokens()[i - 1].line);
            const bool touches = token.box.left() == flow.tokens()[i - 1].box.right() ||
                                 token.box.right() == flow.tokens()[i - 1].box.left();
            EXPECT_TRUE(touches) << i;
            EXPECT_TRUE(flow.sharedBox(i).contains(token.box));
            EXPECT_EQ(flow.sharedBox(i), flow.sharedBox(i - 1));
        }
    }
}

TEST(SharedCharacters, each_token_is_hit_in_its_own_box_and_wide_enough) {
    const Labels labels = inBytes(hardText);
    for (const double width : {40.0, 120.0, 400.0, 3000.0}) {
        const TokenFlow flow = flowOf(labels, width);
        for (std::size_t i = 0; i < labels.size(); ++i) {
            const QRectF box = flow.tokens()[i].box;
            EXPECT_EQ(flow.tokenAt(box.center()), i) << width;
            EXPECT_GE(box.width(), 6);
            EXPECT_GE(box.left(), 0);
            EXPECT_LE(box.right(), width + 1e-9);
        }
    }
}

TEST(SharedCharacters, texts_of_all_boxes_are_the_text) {
    const TokenFlow flow = flowOf(inBytes(hardText), 900);
    QString shown;
    for (const FlowToken& token : flow.tokens()) shown += token.text;
    QString wanted = QString::fromStdString(hardText);
    wanted.remove(QLatin1Char(' '));
    shown.remove(QChar(u'\u2423'));
    // Joiners and strokes at the ends of tokens only shape their letters.
    shown.remove(QChar(u'\u200d'));
    shown.remove(QChar(u'\u0640'));
    wanted.remove(QChar(u'\u200d'));
    EXPECT_EQ(shown, wanted);
}

TEST(SharedCharacters, colour_their_part_of_the_strip_by_their_own_weight) {
    const Labels labels = inBytes("日x");
    const std::vector<double> weights{0.1, 0.6, 0.0, 0.3};
    const PanelPicture picture = test::rowPicture(traceOf(labels), weights, 3);
    const Theme theme = test::themeOf(ThemeKind::Print);
    TextPanel panel(picture, theme);
    panel.layout(300);
    const QImage image = test::rendered(picture, theme, 300);
    const WeightScale scale(picture.state.scale, picture.largestWeight, weights);
    for (const std::size_t i : {0U, 1U}) {
        const QPoint middle = stripOf(panel.flow(), i).center().toPoint();
        EXPECT_EQ(image.pixelColor(middle), viridis(scale.position(weights[i]))) << i;
    }
    const QPoint zero = stripOf(panel.flow(), 2).center().toPoint();
    EXPECT_EQ(image.pixelColor(zero), theme.background);
}

TEST(SharedCharacters, marks_never_stand_alone_and_what_has_no_ink_is_named) {
    const Labels labels = inWords(QStringLiteral("cafe|\u0301|s"));
    EXPECT_EQ(tokenText(labels[0]), QStringLiteral("cafe\u0301"));
    EXPECT_EQ(tokenText(labels[1]), QStringLiteral("\u00b7"));
    EXPECT_EQ(tokenName(labels[1]), QStringLiteral("e\u0301 (2 of 2)"));
    EXPECT_EQ(tokenText(TokenLabel{.text = "\u200b", .piece = "\u200b"}), QStringLiteral("U+200B"));
    EXPECT_TRUE(tokenText(TokenLabel{.text = "\u0301", .piece = "x"}).startsWith(QChar(QChar::Nbsp)));
    EXPECT_EQ(tokenText(TokenLabel{.text = "\uFFFD", .piece = "<0xE6>"}), QStringLiteral("<E6>"));
}

TEST(SharedCharacters, hovering_tells_the_byte_the_piece_and_the_place) {
    const PanelPicture picture = test::rowPicture(traceOf(inBytes("a日")), {0.1, 0.2, 0.3, 0.4}, 0);
    const QString text = hoverText(picture, {QueryIndex(0), KeyIndex(2)});
    EXPECT_TRUE(text.contains(QString::fromUtf8("byte 2 of 3 of \u201c日\u201d, E6 97 A5")))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("piece \u201c<0x97>\u201d"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("code point 1"))) << text.toStdString();
}

TEST(SharedCharacters, raw_pieces_stand_one_a_token) {
    const auto pieces = session::tracedByPieces(*traceOf(inBytes("日x")));
    const TokenFlow flow = flowOf(pieces->tokens, 600);
    const QStringList wanted{QStringLiteral("<0xE6>"), QStringLiteral("<0x97>"), QStringLiteral("<0xA5>"),
                             QStringLiteral("<0x78>")};
    for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
        EXPECT_EQ(flow.tokens()[i].text, wanted[static_cast<qsizetype>(i)]);
        EXPECT_FALSE(flow.tokens()[i].shares());
    }
}

TEST(JoinedLetters, touch_and_take_the_room_of_the_whole_word) {
    const QString word = QStringLiteral("\u0627\u0644\u0633\u0644\u0627\u0645");
    const TokenFlow flow =
        flowOf(inWords(QStringLiteral("\u0627\u0644\u0633|\u0644\u0627\u0645 \u0628|\u0643")), 500);
    ASSERT_EQ(flow.tokens().size(), 4U);
    EXPECT_TRUE(flow.tokens()[0].text.endsWith(QChar(u'\u200d')));
    EXPECT_TRUE(flow.tokens()[1].text.startsWith(QChar(u'\u0640')));
    EXPECT_EQ(flow.tokens()[1].box.right(), flow.tokens()[0].box.left());
    EXPECT_EQ(flow.tokens()[1].textRoom.right(), flow.tokens()[0].textRoom.left());
    const double room = flow.tokens()[0].textRoom.right() - flow.tokens()[1].textRoom.left();
    // A stroke joins the two.
    const double stroke = textWidth(fonts().body, QStringLiteral("\u0640"));
    EXPECT_GE(room, textWidth(fonts().body, word) - 1);
    EXPECT_LE(room, textWidth(fonts().body, word) + stroke + 1);
    // The next word does not join.
    EXPECT_FALSE(flow.tokens()[2].text.startsWith(QChar(u'\u0640')));
}

TEST(ReadingOrder, a_line_from_right_to_left_keeps_numbers_and_latin_in_their_order) {
    const TokenFlow flow = flowOf(inWords(bothWays), 2000);
    ASSERT_EQ(flow.lines().size(), 1U);
    EXPECT_TRUE(flow.mirrored(0));
    // Tokens: 0 shalom, 1 world, 2 3 one word, 4 5 a number, 6 olam, 7 two, 8 words, 9 rav.
    EXPECT_EQ(fromLeft(flow, 0), (std::vector<std::size_t>{9, 7, 8, 6, 4, 5, 3, 2, 1, 0}));
}

TEST(ReadingOrder, a_line_from_left_to_right_turns_only_what_reads_from_the_right) {
    const TokenFlow flow = flowOf(
        inWords(QStringLiteral("say \u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd now and here")), 2000);
    EXPECT_FALSE(flow.mirrored(0));
    EXPECT_EQ(fromLeft(flow, 0), (std::vector<std::size_t>{0, 2, 1, 3, 4, 5}));
    EXPECT_FALSE(flow.tokens()[0].fromRight());
    EXPECT_TRUE(flow.tokens()[1].fromRight());
}

TEST(ReadingOrder, every_position_lies_in_one_run_and_runs_are_continuous) {
    for (const double width : {90.0, 160.0, 300.0, 2000.0}) {
        const TokenFlow flow = flowOf(inWords(bothWays), width);
        std::size_t next = 0;
        for (const FlowRun& run : flow.runs()) {
            EXPECT_EQ(run.first, next);
            next = run.past;
            const double direction = flow.tokens()[run.first].fromRight() ? -1 : 1;
            for (std::size_t i = run.first; i < run.past; ++i) {
                const FlowToken& token = flow.tokens()[i];
                EXPECT_EQ(token.line, run.line);
                EXPECT_GT((token.cellEnd - token.cellStart) * direction, 0);
                if (i + 1 < run.past) {
                    EXPECT_DOUBLE_EQ(token.cellEnd, flow.tokens()[i + 1].cellStart);
                }
            }
        }
        EXPECT_EQ(next, flow.tokens().size());
        for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                EXPECT_FALSE(flow.tokens()[i].box.intersects(flow.tokens()[j].box)) << width << ' ' << i << j;
            }
        }
    }
}

TEST(ReadingOrder, brackets_and_curves_cover_exactly_the_tokens_of_the_interval) {
    const TokenFlow flow = flowOf(inWords(bothWays), 2000);
    for (std::size_t low = 0; low < flow.tokens().size(); ++low) {
        for (std::size_t high = low + 1; high <= flow.tokens().size(); ++high) {
            const auto pieces = bracketPieces(flow, {static_cast<double>(low), static_cast<double>(high)});
            for (std::size_t i = 0; i < flow.tokens().size(); ++i) {
                const double x = flow.tokens()[i].box.center().x();
                const bool covered = std::ranges::any_of(pieces, [&](const BracketPiece& piece) {
                    return x > std::min(piece.start, piece.end) && x < std::max(piece.start, piece.end);
                });
                EXPECT_EQ(covered, i >= low && i < high) << low << ' ' << high << ' ' << i;
            }
        }
    }
    for (const FlowRun& run : flow.runs()) {
        const QPolygonF curve = densityCurve(flow, run, {{0, 1}, {10, 1}}, 1);
        ASSERT_GE(curve.size(), 2);
        EXPECT_DOUBLE_EQ(curve.first().x(), flow.tokens()[run.first].cellStart);
        EXPECT_DOUBLE_EQ(curve.last().x(), flow.tokens()[run.past - 1].cellEnd);
    }
}

TEST(ReadingOrder, arrows_go_to_what_stands_beside_and_reach_every_token) {
    for (const double width : {90.0, 200.0, 2000.0}) {
        const TokenFlow flow = flowOf(inWords(bothWays), width);
        for (std::size_t line = 0; line < flow.lines().size(); ++line) {
            const std::vector<std::size_t> order = fromLeft(flow, line);
            for (std::size_t place = 1; place < order.size(); ++place) {
                EXPECT_EQ(flow.beside(order[place - 1], 1), order[place]);
                EXPECT_EQ(flow.beside(order[place], -1), order[place - 1]);
            }
        }
        // A text from right to left is read by going left.
        std::set<std::size_t> reached;
        for (std::optional<std::size_t> at = fromLeft(flow, 0).back(); at; at = flow.beside(*at, -1))
            ASSERT_TRUE(reached.insert(*at).second);
        EXPECT_EQ(reached.size(), flow.tokens().size()) << width;
        EXPECT_FALSE(flow.beside(fromLeft(flow, 0).back(), 1));
    }
}

TEST(ReadingOrder, names_keep_their_direction_to_themselves) {
    const Labels labels = inWords(QStringLiteral("\u05e9\u05dc\u05d5\u05dd word"));
    EXPECT_TRUE(tokenName(labels[0]).startsWith(QChar(u'\u2068')));
    EXPECT_TRUE(tokenName(labels[0]).endsWith(QChar(u'\u2069')));
    EXPECT_EQ(tokenName(labels[1]), QStringLiteral("word"));
    // The number of a part stays behind its character.
    const Labels bytes = inBytes("\u05dd");
    EXPECT_EQ(tokenName(bytes[1]), QStringLiteral("\u2068\u2068\u05dd\u2069 (2 of 2)\u2069"));
}

TEST(TallScripts, are_given_boxes_that_hold_their_ink) {
    const PanelFonts used = fonts();
    const QFontMetricsF metrics(used.body);
    for (const char* word : {"ที่ปู่", "क्ष्म्र्य", "x\u0302\u0301\u0323", "བསྒྲུབས", "word"}) {
        const TokenFlow flow = flowOf(inWords(QString::fromUtf8(word)), 400);
        const FlowToken& token = flow.tokens().front();
        const QRectF ink = metrics.tightBoundingRect(token.text);
        const double baseline = token.textRoom.center().y() + (metrics.ascent() - metrics.descent()) / 2;
        EXPECT_GE(baseline + ink.top(), token.box.top()) << word;
        EXPECT_LE(baseline + ink.bottom(), token.box.bottom()) << word;
    }
}

}  // namespace fovea::widgets
