// SPDX-License-Identifier: GPL-3.0-or-later
// The small views of comparing and opening: the report, the strip, the halves to drop on, the card.
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QTableView>

#include "tests/widgets/sample_pictures.h"
#include "widgets/views/drop_overlay.h"
#include "widgets/views/model_report_view.h"
#include "widgets/views/notice_strip.h"
#include "widgets/views/panel_card.h"

namespace fovea::widgets {

namespace {

ModelInfo model() {
    ModelInfo info;
    info.name = "a-model";
    info.tensors.used = {"a", "b"};
    info.tensors.missing = {"head.c"};
    return info;
}

TEST(ModelReportView, filters_its_tensors_as_one_types) {
    ModelReportView view;
    view.setModel(model(), {});
    EXPECT_EQ(view.table()->model()->rowCount(), 3);
    view.filter()->setText(QStringLiteral("missing"));
    EXPECT_EQ(view.table()->model()->rowCount(), 1);
    view.filter()->setText(QStringLiteral("no such tensor"));
    EXPECT_EQ(view.table()->model()->rowCount(), 0);
    view.filter()->clear();
    EXPECT_EQ(view.table()->model()->rowCount(), 3);
    EXPECT_TRUE(view.copyText().contains(QStringLiteral("head.c")));
}

TEST(ModelReportView, shows_the_newest_model) {
    ModelReportView view;
    view.setModel(model(), {});
    ModelInfo other = model();
    other.name = "another";
    other.tensors.used.clear();
    view.setModel(other, {});
    EXPECT_EQ(view.table()->model()->rowCount(), 1);
    EXPECT_TRUE(view.copyText().contains(QStringLiteral("another")));
    EXPECT_FALSE(view.copyText().contains(QStringLiteral("a-model")));
}

TEST(NoticeStrip, is_there_while_there_is_something_to_say) {
    QWidget window;
    NoticeStrip strip(&window);
    window.show();
    EXPECT_FALSE(strip.isVisible());
    strip.setNotice(QStringLiteral("without its head"));
    EXPECT_TRUE(strip.isVisible());
    EXPECT_EQ(strip.notice(), QStringLiteral("without its head"));
    strip.setNotice({});
    EXPECT_FALSE(strip.isVisible());
}

TEST(DropOverlay, has_a_zone_at_every_point_inside_and_none_outside) {
    QWidget window;
    window.resize(401, 200);
    window.show();
    DropOverlay overlay(&window);
    EXPECT_FALSE(overlay.zoneAt({10, 10}));
    overlay.offer({QStringLiteral("here"), QStringLiteral("there")});
    EXPECT_TRUE(overlay.isVisible());
    for (int x = 0; x < 401; ++x) EXPECT_EQ(overlay.zoneAt({x, 100}), x < 200 ? 0 : 1) << x;
    EXPECT_FALSE(overlay.zoneAt({-1, 100}));
    EXPECT_FALSE(overlay.zoneAt({401, 100}));
    const QImage before = window.grab().toImage();
    overlay.light(1);
    EXPECT_NE(window.grab().toImage(), before);
    overlay.offer({});
    EXPECT_FALSE(overlay.isVisible());
    EXPECT_FALSE(overlay.zoneAt({10, 10}));
}

TEST(PanelCard, says_which_side_it_shows_where_there_are_two) {
    PanelCard card(QStringLiteral("B"));
    PanelPicture picture = test::rowPicture(test::traceOf({"a", "b"}), {0.5, 0.5}, 0);
    card.setPicture(picture);
    EXPECT_TRUE(card.sideText().isEmpty());
    picture.context.side = QStringLiteral("tuned · a b");
    picture.context.note = QStringLiteral("nearest to layer 5 · head 7");
    card.setPicture(picture);
    EXPECT_EQ(card.sideText(), QStringLiteral("tuned · a b"));
    EXPECT_EQ(card.noteText(), QStringLiteral("nearest to layer 5 · head 7"));
    picture.context = {};
    card.setPicture(picture);
    EXPECT_TRUE(card.sideText().isEmpty());
    EXPECT_TRUE(card.noteText().isEmpty());
}

}  // namespace

}  // namespace fovea::widgets
