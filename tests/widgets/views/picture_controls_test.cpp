// SPDX-License-Identifier: GPL-3.0-or-later
// What a picture is looked at with: its input, its look, and several queries.
#include <gtest/gtest.h>

#include <QCheckBox>
#include <QComboBox>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTest>
#include <QToolButton>

#include "widgets/views/elided_label.h"
#include "widgets/views/look_editor.h"
#include "widgets/views/picture_input.h"
#include "widgets/views/query_pool.h"

namespace fovea::widgets {

namespace {

using image::Sizing;

std::shared_ptr<const image::PreparedPicture> somePicture() {
    auto original = std::make_shared<image::RgbImage>();
    original->width = 30;
    original->height = 20;
    original->pixels.assign(30 * 20 * 3, 90);
    auto picture = std::make_shared<image::PreparedPicture>();
    picture->seen = *original;
    picture->frame = {0, 0, 30, 20};
    picture->patchRows = 2;
    picture->patchColumns = 3;
    picture->original = std::move(original);
    return picture;
}

// Keys reach a combo box as a user's do: down to the wanted entry.
void pick(QComboBox* box, int index) {
    box->setCurrentIndex(0);
    for (int step = 0; step < index; ++step) QTest::keyClick(box, Qt::Key_Down);
}

TEST(PictureInput, says_what_the_picture_is_and_how_many_patches_it_has) {
    PictureInput input;
    input.show();
    input.setPicture({"/photos/cat.png", {}}, somePicture(), QStringLiteral("first of 12 frames"), 10);
    QString said;
    for (const auto* label : input.findChildren<ElidedLabel*>()) said += label->text();
    for (const char* part : {"30 × 20", "2 × 3 patches", "first of 12 frames"}) {
        EXPECT_TRUE(said.contains(QString::fromUtf8(part))) << part << " in " << said.toStdString();
    }
}

TEST(PictureInput, a_size_is_said_once_and_showing_says_nothing) {
    PictureInput input;
    input.show();
    std::vector<Sizing> said;
    QObject::connect(&input, &PictureInput::sizingPicked, &input,
                     [&](const Sizing& sizing) { said.push_back(sizing); });
    input.setPicture({"/photos/cat.png", {}}, somePicture(), {}, 10);
    EXPECT_TRUE(said.empty());
    pick(input.sizing(), 1);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.back().kind, Sizing::Kind::Native);
    input.setPicture({"/photos/cat.png", {Sizing::Kind::Given, 30, 20}}, somePicture(), {}, 10);
    EXPECT_EQ(said.size(), 1U);
    input.findChildren<QSpinBox*>().front()->setValue(50);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said.back(), (Sizing{Sizing::Kind::Given, 50, 20}));
}

TEST(PictureInput, recorded_attention_has_no_size_to_choose) {
    PictureInput input;
    input.show();
    input.setPicture({"/photos/cat.png", {}}, somePicture(), {}, 0);
    EXPECT_FALSE(input.sizing()->isVisible());
    input.setPicture({}, nullptr, {}, 0);
    EXPECT_FALSE(input.sizing()->isVisible());
}

TEST(LookEditor, says_the_whole_look_and_only_when_it_changes) {
    LookEditor editor;
    editor.show();
    std::vector<session::PictureLook> said;
    QObject::connect(&editor, &LookEditor::lookChanged, &editor,
                     [&](const session::PictureLook& look) { said.push_back(look); });
    editor.setLook({session::HeatKind::None, true, session::PictureFrame::AsSeen});
    EXPECT_TRUE(said.empty());
    EXPECT_TRUE(editor.grid()->isChecked());
    QTest::mouseClick(editor.grid(), Qt::LeftButton, {}, QPoint(8, editor.grid()->height() / 2));
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(said.back(),
              (session::PictureLook{session::HeatKind::None, false, session::PictureFrame::AsSeen}));
    pick(editor.frame(), 0);
    QTest::keyClick(editor.heat(), Qt::Key_Up);
    EXPECT_EQ(said.back().heat, session::HeatKind::Patches);
}

TEST(QueryPool, is_seen_while_there_are_several_queries) {
    QWidget window;
    QueryPool pool(&window);
    window.show();
    session::Selection selection;
    pool.setSelection(selection);
    EXPECT_FALSE(pool.isVisible());
    selection.more = {QueryIndex(3), QueryIndex(5)};
    selection.pooling = session::QueryPooling::Max;
    pool.setSelection(selection);
    EXPECT_TRUE(pool.isVisible());
    EXPECT_EQ(pool.pooling()->currentIndex(), 2);
    QSignalSpy cleared(&pool, &QueryPool::clearRequested);
    QTest::mouseClick(pool.findChild<QToolButton*>(), Qt::LeftButton);
    EXPECT_EQ(cleared.count(), 1);
}

}  // namespace

}  // namespace fovea::widgets
