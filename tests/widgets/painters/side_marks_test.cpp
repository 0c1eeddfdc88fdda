// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/painters/side_marks.h"

#include <gtest/gtest.h>

#include "tests/widgets/sample_pictures.h"
#include "widgets/painters/legend.h"
#include "widgets/painters/plain_text_panel.h"

namespace fovea::widgets {

namespace {

PanelPicture picture() { return test::rowPicture(test::traceOf({"the", "big", "dog"}), {0.2, 0.3, 0.5}, 0); }

QImage drawn(const PanelPicture& of, std::optional<PanelHit> hover = {}) {
    const Theme theme = test::themeOf(ThemeKind::Light);
    const auto painter = makePanelPainter(of, theme);
    painter->setHover(hover);
    const double height = painter->layout(300);
    QImage image(300, static_cast<int>(std::ceil(height)), QImage::Format_RGB32);
    image.fill(theme.background);
    QPainter on(&image);
    painter->paint(on, QRectF(0, 0, 300, height));
    return image;
}

TEST(SideMarks, tokens_of_one_side_alone_are_marked_and_only_they) {
    PanelPicture marked = picture();
    marked.context.onlyHere = {false, true, false};
    const QImage before = drawn(picture());
    const QImage after = drawn(marked);
    const auto painter = makePanelPainter(marked, test::themeOf(ThemeKind::Light));
    painter->layout(300);
    for (std::size_t token = 0; token < 3; ++token) {
        const QRect box = painter->boxOf(token).toAlignedRect();
        EXPECT_EQ(before.copy(box) != after.copy(box), token == 1) << token;
    }
}

TEST(SideMarks, the_legend_explains_marks_where_there_are_some) {
    PanelPicture marked = picture();
    EXPECT_TRUE(sideLegend(marked).isEmpty());
    marked.context.onlyHere = {false, false, false};
    EXPECT_TRUE(sideLegend(marked).isEmpty());
    marked.context.onlyHere = {false, true, false};
    ASSERT_EQ(sideLegend(marked).size(), 1);
    EXPECT_TRUE(LegendContent::of({&marked, 1}).notes.contains(sideLegend(marked).front()));
    marked.state.view = session::View::Matrix;
    EXPECT_TRUE(sideLegend(marked).isEmpty());
}

TEST(SideMarks, marks_of_another_length_are_no_marks_beyond_it) {
    PanelPicture marked = picture();
    marked.context.onlyHere = {true};
    EXPECT_TRUE(isOnlyHere(marked, marked.trace->tokens, 0));
    EXPECT_FALSE(isOnlyHere(marked, marked.trace->tokens, 2));
}

PanelPicture withoutQuery() {
    PanelPicture blank = picture();
    blank.row = nullptr;
    blank.state.withoutQuery = true;
    blank.context.note = QStringLiteral("no counterpart of “large” in B");
    return blank;
}

TEST(PlainTextPanel, shows_what_can_be_asked_about_below_the_note) {
    const auto painter = makePanelPainter(withoutQuery(), test::themeOf(ThemeKind::Light));
    ASSERT_NE(dynamic_cast<PlainTextPanel*>(painter.get()), nullptr);
    EXPECT_GT(painter->layout(300), 0);
    for (std::size_t token = 0; token < 3; ++token) {
        const QRectF box = painter->boxOf(token);
        EXPECT_GT(box.top(), 10) << "the note stands above";
        const PanelHit hit = painter->hit(box.center());
        EXPECT_EQ(hit.query, QueryIndex(token));
        EXPECT_FALSE(hit.key);
    }
    EXPECT_FALSE(painter->hit({5, 2}).query);
    EXPECT_TRUE(painter->boxOf(3).isEmpty());
}

TEST(PlainTextPanel, has_no_weights_no_query_and_outlines_what_is_hovered) {
    PanelPicture other = withoutQuery();
    other.state.selection.query = QueryIndex(2);
    EXPECT_EQ(drawn(withoutQuery()), drawn(other)) << "the last query is not shown";
    EXPECT_NE(drawn(withoutQuery()), drawn(withoutQuery(), PanelHit{QueryIndex(1), std::nullopt}));
}

TEST(PlainTextPanel, narrow_rooms_and_long_notes_are_wrapped) {
    PanelPicture blank = withoutQuery();
    blank.context.note = QStringLiteral("no counterpart of “%1” in B").arg(QString(300, u'x'));
    const auto painter = makePanelPainter(blank, test::themeOf(ThemeKind::Dark));
    EXPECT_GT(painter->layout(80), painter->layout(2000));
}

}  // namespace

}  // namespace fovea::widgets
