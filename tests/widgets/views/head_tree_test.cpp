// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/head_tree.h"

#include <gtest/gtest.h>

#include <QTest>

#include "widgets/view_models/model_tree_model.h"

namespace fovea::widgets {

namespace {

struct HeadTreeTest : ::testing::Test {
    ModelTreeModel model;
    HeadTree tree{&model};
    std::vector<std::pair<std::size_t, std::size_t>> picked;

    HeadTreeTest() {
        model.setSites({{"layer.0", SiteKind::Encoder, LayerIndex(0), 3, 3},
                        {"layer.1", SiteKind::Encoder, LayerIndex(1), 3, 3}});
        QObject::connect(&tree, &HeadTree::headPicked, &tree, [this](SiteIndex site, HeadIndex head) {
            picked.emplace_back(site.value, head.value);
        });
        tree.resize(200, 300);
        tree.show();
    }
};

TEST_F(HeadTreeTest, showing_a_head_says_nothing_and_makes_it_current) {
    tree.showHead(SiteIndex(1), HeadIndex(2));
    EXPECT_TRUE(picked.empty());
    EXPECT_EQ(tree.currentIndex(), model.indexOf(SiteIndex(1), HeadIndex(2)));
}

TEST_F(HeadTreeTest, the_keyboard_walks_through_heads) {
    tree.showHead(SiteIndex(0), HeadIndex(0));
    QTest::keyClick(&tree, Qt::Key_Down);
    ASSERT_EQ(picked.size(), 1U);
    EXPECT_EQ(picked.back(), (std::pair<std::size_t, std::size_t>{0, 1}));
}

TEST_F(HeadTreeTest, a_layer_stays_current_when_its_first_head_is_shown) {
    tree.setCurrentIndex(model.index(1, 0));
    ASSERT_EQ(picked.size(), 1U);
    tree.showHead(SiteIndex(1), HeadIndex(0));
    EXPECT_EQ(tree.currentIndex(), model.index(1, 0));
}

}  // namespace

}  // namespace fovea::widgets
