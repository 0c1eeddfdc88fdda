// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_tree_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

namespace fovea::widgets {

namespace {

std::vector<Site> stack(SiteKind kind, std::size_t layers, std::size_t heads, std::size_t groups) {
    std::vector<Site> sites;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        sites.push_back({"layer." + std::to_string(layer), kind, LayerIndex(layer), heads, groups});
    }
    return sites;
}

QString textOf(const ModelTreeModel& model, const QModelIndex& index) {
    return model.data(index, Qt::DisplayRole).toString();
}

TEST(ModelTreeModel, keeps_the_rules_of_item_models) {
    ModelTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setSites(stack(SiteKind::Encoder, 3, 4, 4));
    model.setSites(stack(SiteKind::Decoder, 2, 4, 2));
    model.setSites({});
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(ModelTreeModel, has_heads_below_layers) {
    ModelTreeModel model;
    model.setSites(stack(SiteKind::Encoder, 3, 4, 4));
    ASSERT_EQ(model.rowCount(), 3);
    const QModelIndex layer = model.index(1, 0);
    EXPECT_EQ(textOf(model, layer), QStringLiteral("layer 1"));
    ASSERT_EQ(model.rowCount(layer), 4);
    EXPECT_EQ(textOf(model, model.index(3, 0, layer)), QStringLiteral("head 3"));
}

TEST(ModelTreeModel, names_the_groups_of_grouped_queries) {
    ModelTreeModel model;
    model.setSites(stack(SiteKind::Decoder, 1, 6, 2));
    const QModelIndex layer = model.index(0, 0);
    ASSERT_EQ(model.rowCount(layer), 2);
    const QModelIndex group = model.index(1, 0, layer);
    EXPECT_EQ(textOf(model, group), QStringLiteral("kv group 1"));
    ASSERT_EQ(model.rowCount(group), 3);
    EXPECT_EQ(textOf(model, model.index(0, 0, group)), QStringLiteral("head 3"));
}

TEST(ModelTreeModel, stacks_head_the_tree_when_there_are_several) {
    ModelTreeModel model;
    auto sites = stack(SiteKind::Encoder, 2, 2, 2);
    for (const Site& site : stack(SiteKind::Decoder, 3, 4, 4)) sites.push_back(site);
    model.setSites(sites);
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(textOf(model, model.index(0, 0)), QStringLiteral("Encoder"));
    EXPECT_EQ(model.rowCount(model.index(1, 0)), 3);
    EXPECT_FALSE(model.placeOf(model.index(0, 0)).has_value());
}

TEST(ModelTreeModel, three_stacks_have_layers_heads_and_groups_of_their_own) {
    ModelTreeModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    auto sites = stack(SiteKind::Encoder, 2, 3, 3);
    // Layer by layer, as some files have them: a stack is one group all the same.
    for (std::size_t layer = 0; layer < 4; ++layer) {
        sites.push_back({"decoder." + std::to_string(layer), SiteKind::Decoder, LayerIndex(layer), 6, 2});
        sites.push_back({"cross." + std::to_string(layer), SiteKind::Cross, LayerIndex(layer), 8, 8});
    }
    model.setSites(sites);
    ASSERT_EQ(model.rowCount(), 3);
    EXPECT_EQ(textOf(model, model.index(0, 0)), QStringLiteral("Encoder"));
    EXPECT_EQ(textOf(model, model.index(1, 0)), QStringLiteral("Decoder"));
    EXPECT_EQ(textOf(model, model.index(2, 0)), QStringLiteral("Cross-attention"));
    EXPECT_EQ(model.rowCount(model.index(0, 0)), 2);
    EXPECT_EQ(model.rowCount(model.index(1, 0)), 4);
    EXPECT_EQ(model.rowCount(model.index(2, 0)), 4);
    EXPECT_EQ(model.rowCount(model.index(3, 0, model.index(1, 0))), 2);
    EXPECT_EQ(model.rowCount(model.index(3, 0, model.index(2, 0))), 8);
    for (std::size_t site = 0; site < sites.size(); ++site) {
        for (std::size_t head = 0; head < sites[site].heads; ++head) {
            const auto place = model.placeOf(model.indexOf(SiteIndex(site), HeadIndex(head)));
            ASSERT_TRUE(place);
            EXPECT_EQ(place->site, SiteIndex(site));
            EXPECT_EQ(place->head, HeadIndex(head));
        }
    }
    const QModelIndex last = model.indexOf(SiteIndex(8), HeadIndex(5));
    EXPECT_EQ(textOf(model, last), QStringLiteral("head 5"));
    const QModelIndex grouped = model.indexOf(SiteIndex(2), HeadIndex(4));
    EXPECT_EQ(model.data(grouped, Qt::AccessibleTextRole).toString(),
              QStringLiteral("Decoder, layer 0, kv group 1, head 4"));
}

TEST(ModelTreeModel, every_head_is_found_where_it_stands) {
    for (const std::size_t groups : {1, 2, 4}) {
        ModelTreeModel model;
        model.setSites(stack(SiteKind::Decoder, 3, 4, groups));
        for (std::size_t site = 0; site < 3; ++site) {
            for (std::size_t head = 0; head < 4; ++head) {
                const QModelIndex index = model.indexOf(SiteIndex(site), HeadIndex(head));
                ASSERT_TRUE(index.isValid());
                const auto place = model.placeOf(index);
                ASSERT_TRUE(place.has_value());
                EXPECT_EQ(place->site, SiteIndex(site));
                EXPECT_EQ(place->head, HeadIndex(head));
            }
        }
        EXPECT_FALSE(model.indexOf(SiteIndex(3), HeadIndex(0)).isValid());
        EXPECT_FALSE(model.indexOf(SiteIndex(0), HeadIndex(4)).isValid());
    }
}

}  // namespace

}  // namespace fovea::widgets
