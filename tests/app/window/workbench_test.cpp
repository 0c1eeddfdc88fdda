// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/workbench.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QSignalSpy>
#include <fstream>

#include "tests/support/test_data.h"
#include "tests/widgets/synthetic_model.h"

namespace fovea::app {

namespace {

using test::waitFor;

struct WorkbenchTest : ::testing::Test {
    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    Workbench bench{test::syntheticOpener(behaviour)};

    void SetUp() override {
        bench.open("/synthetic");
        ASSERT_TRUE(settle());
        bench.setText({"one two three four five six seven", std::nullopt});
        ASSERT_TRUE(settle());
        bench.document().undoStack().clear();
    }
    bool settle() {
        return waitFor([this] { return bench.run() != nullptr && bench.settled(); });
    }
    session::Selection selection(std::size_t panel) { return bench.state().panels.at(panel).selection; }
};

TEST_F(WorkbenchTest, linked_panels_share_the_selection_and_unlinked_do_not) {
    bench.pickQuery(0, QueryIndex(3));
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    bench.setLinked(false);
    bench.pickQuery(0, QueryIndex(5));
    EXPECT_EQ(selection(0).query, QueryIndex(5));
    EXPECT_EQ(selection(1).query, QueryIndex(3));
    bench.setLinked(true);
    EXPECT_EQ(selection(1).query, selection(0).query);
}

TEST_F(WorkbenchTest, steps_stop_at_the_ends) {
    bench.stepQuery(-100);
    EXPECT_EQ(selection(0).query, QueryIndex(0));
    bench.stepQuery(100);
    EXPECT_EQ(selection(0).query, QueryIndex(6));
    bench.stepHead(100);
    EXPECT_EQ(selection(0).head, HeadIndex(3));
    bench.stepLayer(100);
    EXPECT_EQ(selection(0).site, SiteIndex(1));
    ASSERT_TRUE(settle());
    EXPECT_NE(bench.panel(0).picture().row, nullptr);
}

TEST_F(WorkbenchTest, a_shorter_text_takes_the_selection_with_it_and_undo_brings_both_back) {
    bench.pickQuery(0, QueryIndex(6));
    bench.setText({"one two", std::nullopt});
    ASSERT_TRUE(settle());
    EXPECT_EQ(selection(0).query, QueryIndex(1));
    bench.document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.run()->input.text.text, "one two three four five six seven");
    EXPECT_EQ(selection(0).query, QueryIndex(6));
    EXPECT_EQ(bench.panel(0).picture().state, bench.state().panels.at(0));
    EXPECT_EQ(bench.panel(0).picture().trace->tokens.size(), 7U);
}

TEST_F(WorkbenchTest, a_text_that_cannot_run_changes_nothing) {
    QSignalSpy complaint(&bench, &Workbench::inputComplaint);
    const session::DocumentState before = bench.state();
    bench.setText({"", std::nullopt});
    ASSERT_TRUE(waitFor([&] { return complaint.count() == 1; }));
    EXPECT_FALSE(complaint.front().front().toString().isEmpty());
    EXPECT_EQ(bench.state(), before);
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(1).picture().state, before.panels.at(1));
}

TEST_F(WorkbenchTest, linked_panels_share_the_top_of_the_colour_scale) {
    const auto top = [&](std::size_t panel) { return bench.panel(panel).picture().largestWeight; };
    const double larger = std::max(bench.panel(0).ownLargest(), bench.panel(1).ownLargest());
    EXPECT_EQ(top(0), larger);
    EXPECT_EQ(top(1), larger);
    bench.setLinked(false);
    EXPECT_EQ(top(0), bench.panel(0).ownLargest());
    EXPECT_EQ(top(1), bench.panel(1).ownLargest());
}

TEST_F(WorkbenchTest, opening_another_model_starts_a_new_document) {
    bench.pickQuery(0, QueryIndex(2));
    EXPECT_TRUE(bench.document().undoStack().canUndo());
    bench.open("/other");
    ASSERT_TRUE(settle());
    EXPECT_FALSE(bench.document().undoStack().canUndo());
}

TEST_F(WorkbenchTest, a_failed_opening_keeps_document_and_undo) {
    bench.pickQuery(0, QueryIndex(2));
    const session::DocumentState before = bench.state();
    QSignalSpy failed(&bench, &Workbench::openFailed);
    behaviour->failsToOpen = true;
    bench.open("/broken");
    ASSERT_TRUE(waitFor([&] { return failed.count() == 1; }));
    EXPECT_EQ(bench.state(), before);
    EXPECT_TRUE(bench.document().undoStack().canUndo());
}

TEST_F(WorkbenchTest, swapping_exchanges_mechanisms_and_is_undone) {
    const session::DocumentState before = bench.state();
    bench.swapPanels();
    EXPECT_EQ(bench.state().panels.at(0), before.panels.at(1));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(0).picture().letter, QStringLiteral("A"));
    EXPECT_EQ(bench.panel(0).picture().state, before.panels.at(1));
    bench.document().undoStack().undo();
    EXPECT_EQ(bench.state(), before);
}

struct PictureWorkbench : ::testing::Test {
    std::shared_ptr<test::SyntheticBehaviour> behaviour = std::make_shared<test::SyntheticBehaviour>();
    test::TemporaryFolder folder;
    Workbench bench{test::syntheticOpener(behaviour)};

    std::filesystem::path picture(const char* name, int width, int height) {
        QImage image(width, height, QImage::Format_RGB32);
        image.fill(Qt::darkGreen);
        const auto path = folder / name;
        EXPECT_TRUE(image.save(QString::fromStdString(path.string())));
        return path;
    }
    void SetUp() override {
        behaviour->readsPictures = true;
        bench.setSamplePicture(picture("first.png", 60, 40));
        bench.open("/synthetic");
        ASSERT_TRUE(settle());
    }
    bool settle() {
        return waitFor([this] { return bench.run() != nullptr && bench.settled(); });
    }
    const session::PanelState& panel(std::size_t index) { return bench.state().panels.at(index); }
};

TEST_F(PictureWorkbench, a_model_of_pictures_opens_in_the_image_view_with_heat_beside_an_ellipse) {
    ASSERT_TRUE(bench.run()->own->grid);
    EXPECT_EQ(*bench.run()->own->grid, (PatchGrid{4, 4, 1}));
    for (std::size_t index = 0; index < 2; ++index) EXPECT_EQ(panel(index).view, session::View::Image);
    EXPECT_EQ(panel(0).mechanism.domain, session::Domain::Discrete);
    ASSERT_NE(bench.panel(1).picture().row, nullptr);
    ASSERT_TRUE(bench.panel(1).picture().row->picture);
    EXPECT_EQ(bench.panel(1).picture().row->picture->ellipses.size(), 1U);
    EXPECT_NE(bench.panel(1).picture().photo, nullptr);
}

TEST_F(PictureWorkbench, another_picture_is_one_step_and_undo_brings_the_old_one_back) {
    const session::DocumentState before = bench.state();
    bench.setPicture(picture("second.png", 30, 50));
    ASSERT_TRUE(
        waitFor([&] { return bench.state().sides[0].input.picture->file.filename() == "second.png"; }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.run()->prepared.picture->original->width, 30U);
    bench.document().undoStack().undo();
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.state(), before);
    EXPECT_EQ(bench.run()->prepared.picture->original->width, 60U);
}

TEST_F(PictureWorkbench, its_own_size_gives_a_grid_of_its_aspect) {
    bench.setSizing({image::Sizing::Kind::Native, 0, 0});
    ASSERT_TRUE(waitFor([&] { return bench.run()->own->grid == (PatchGrid{5, 7, 1}); }));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(0).picture().row->weights.size(), 36U);
}

TEST_F(PictureWorkbench, a_picture_that_cannot_be_read_changes_nothing) {
    QSignalSpy complaint(&bench, &Workbench::inputComplaint);
    const session::DocumentState before = bench.state();
    std::ofstream(folder / "broken.png") << "no picture";
    bench.setPicture(folder / "broken.png");
    ASSERT_TRUE(waitFor([&] { return complaint.count() == 1; }));
    EXPECT_TRUE(complaint.front().front().toString().contains(QStringLiteral("broken.png")));
    EXPECT_EQ(bench.state(), before);
    ASSERT_TRUE(settle());
    EXPECT_NE(bench.panel(0).picture().row, nullptr);
}

TEST_F(PictureWorkbench, queries_are_added_and_taken_out_and_one_stays) {
    bench.pickQuery(0, QueryIndex(5));
    bench.toggleQuery(0, QueryIndex(9));
    bench.toggleQuery(0, QueryIndex(7));
    EXPECT_EQ(panel(1).selection.more, (std::vector{QueryIndex(7), QueryIndex(9)}));
    ASSERT_TRUE(settle());
    EXPECT_EQ(bench.panel(0).picture().row->selection, panel(0).selection);
    bench.toggleQuery(0, QueryIndex(5));
    EXPECT_EQ(panel(0).selection.query, QueryIndex(7));
    bench.toggleQuery(0, QueryIndex(9));
    bench.toggleQuery(0, QueryIndex(7));
    EXPECT_EQ(panel(0).selection.query, QueryIndex(7));
    EXPECT_TRUE(panel(0).selection.more.empty());
}

TEST_F(PictureWorkbench, a_document_is_restored_with_its_picture_and_panels) {
    bench.pickQuery(0, QueryIndex(6));
    session::PictureLook look;
    look.heat = session::HeatKind::Patches;
    look.patchGrid = true;
    bench.setLook(look);
    bench.setPicture(picture("second.png", 30, 50));
    ASSERT_TRUE(
        waitFor([&] { return bench.state().sides[0].input.picture->file.filename() == "second.png"; }));
    ASSERT_TRUE(settle());
    const session::DocumentState kept = bench.state();
    Workbench other(test::syntheticOpener(behaviour));
    other.restore(kept);
    ASSERT_TRUE(waitFor([&] { return other.run() != nullptr && other.settled(); }));
    EXPECT_EQ(other.state(), kept);
    EXPECT_FALSE(other.document().undoStack().canUndo());
}

}  // namespace

}  // namespace fovea::app
