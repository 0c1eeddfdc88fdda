// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/view_models/model_report.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSortFilterProxyModel>

#include "core/model/model_config.h"
#include "widgets/view_models/tensor_report_model.h"

namespace fovea::widgets {

namespace {

LoadReport report() {
    LoadReport report;
    report.used = {"a.weight", "b.weight"};
    report.missing = {"c.weight", "head.weight"};
    report.missingOfHead = {"head.weight"};
    report.mismatched = {{"d.weight", {2, 3}, {3, 2}}};
    report.unexpected = {"extra"};
    report.leftOut = {"layer.7.weight"};
    return report;
}

ModelInfo model() {
    ModelInfo info;
    info.name = "a-model";
    info.architecture = "BertForSequenceClassification";
    info.layers = 2;
    info.heads = 4;
    info.keyValueHeads = 2;
    info.parameters = 1234567;
    info.weightBytes = 4 * info.parameters;
    info.sites = {{"layer.0", SiteKind::Encoder, LayerIndex(0), 4, 2},
                  {"cross.0", SiteKind::Cross, LayerIndex(0), 8, 8}};
    info.outputs = {"logits"};
    info.tensors = report();
    return info;
}

QString lineOf(const ModelInfo& info, const LoadOptions& options, const QString& name) {
    for (const auto& [key, what] : modelLines(info, options)) {
        if (key == name) return what;
    }
    return {};
}

TEST(TensorReportModel, keeps_the_rules_of_item_models) {
    TensorReportModel tensors;
    const QAbstractItemModelTester tester(&tensors, QAbstractItemModelTester::FailureReportingMode::Fatal);
    tensors.setReport(report());
    tensors.setReport({});
    tensors.setReport(report());
    EXPECT_EQ(tensors.rowCount(), 7);
    EXPECT_EQ(tensors.columnCount(), 3);
    EXPECT_EQ(tensors.rowCount(tensors.index(0, 0)), 0);
    EXPECT_FALSE(tensors.data(tensors.index(9, 0), Qt::DisplayRole).isValid());
}

TEST(TensorReportModel, has_every_tensor_once_with_what_is_wrong_first) {
    TensorReportModel tensors;
    tensors.setReport(report());
    QStringList rows;
    bool troubleEnded = false;
    for (int row = 0; row < tensors.rowCount(); ++row) {
        QStringList columns;
        for (int column = 0; column < tensors.columnCount(); ++column)
            columns << tensors.data(tensors.index(row, column), Qt::DisplayRole).toString();
        rows << columns.join(QLatin1Char('|'));
        const bool trouble =
            tensors.data(tensors.index(row, 0), TensorReportModel::TroubleRole).toBool();
        EXPECT_FALSE(trouble && troubleEnded);
        troubleEnded |= !trouble;
    }
    EXPECT_EQ(rows, (QStringList{QStringLiteral("missing|c.weight|"),
                                 QStringLiteral("missing|head.weight|of the head"),
                                 QStringLiteral("of another shape|d.weight|expected [2, 3], found [3, 2]"),
                                 QStringLiteral("unexpected|extra|"),
                                 QStringLiteral("left out|layer.7.weight|of what was not asked for"),
                                 QStringLiteral("used|a.weight|"), QStringLiteral("used|b.weight|")}));
}

TEST(TensorReportModel, is_filtered_by_name_and_by_state) {
    TensorReportModel tensors;
    tensors.setReport(report());
    QSortFilterProxyModel filtered;
    filtered.setSourceModel(&tensors);
    filtered.setFilterKeyColumn(-1);
    filtered.setFilterFixedString(QStringLiteral("missing"));
    EXPECT_EQ(filtered.rowCount(), 2);
    filtered.setFilterFixedString(QStringLiteral("extra"));
    EXPECT_EQ(filtered.rowCount(), 1);
}

TEST(ModelReport, tells_sizes_sites_by_stack_and_counts_of_tensors) {
    const ModelInfo info = model();
    EXPECT_EQ(lineOf(info, {}, QStringLiteral("Architecture")),
              QStringLiteral("BertForSequenceClassification"));
    EXPECT_EQ(lineOf(info, {}, QStringLiteral("Heads")), QStringLiteral("4, 2 for keys and values"));
    EXPECT_EQ(lineOf(info, {}, QStringLiteral("Parameters")), QStringLiteral("1,234,567"));
    EXPECT_TRUE(lineOf(info, {}, QStringLiteral("Memory")).startsWith(QStringLiteral("4.9 MB of weights")));
    EXPECT_EQ(lineOf(info, {}, QStringLiteral("Attention")),
              QStringLiteral("encoder: 1 sites of 4 heads · cross: 1 sites of 8 heads"));
    EXPECT_TRUE(lineOf(info, {}, QStringLiteral("Tensors")).contains(QStringLiteral("2 missing")));
    EXPECT_TRUE(lineOf(info, {}, QStringLiteral("Opened")).isEmpty());
    EXPECT_EQ(lineOf(info, {3, true, true}, QStringLiteral("Opened")),
              QStringLiteral("without its head, the first 3 layers, layers are read as they run"));
}

TEST(ModelReport, as_text_names_every_tensor) {
    const QString text = reportText(model(), {});
    for (const char* name : {"a-model", "a.weight", "c.weight", "head.weight", "d.weight", "extra", "[2, 3]",
                             "layer.7.weight"})
        EXPECT_TRUE(text.contains(QLatin1String(name))) << name;
}

TEST(ModelReport, warns_of_what_was_left_out_and_of_nothing_else) {
    ModelInfo info = model();
    EXPECT_TRUE(openingNotice(info, {}).isEmpty());
    EXPECT_TRUE(openingNotice(info, {{}, true, false}).contains(QStringLiteral("head.weight")));
    info.tensors = {};
    EXPECT_TRUE(openingNotice(info, {{}, true, false}).contains(QStringLiteral("without its head")));
    info.leftOutLayers = 3;
    EXPECT_TRUE(openingNotice(info, {2, false, false}).contains(QStringLiteral("last 3 layers")));
}

TEST(ModelReport, the_supported_families_are_those_of_the_code) {
    QStringList types;
    for (const SupportedFamily& family : supportedFamilies()) {
        types << family.modelType;
        EXPECT_FALSE(family.architectures.isEmpty()) << family.modelType.toStdString();
    }
    QStringList expected;
    for (const std::string& type : model::supportedModelTypes()) expected << QString::fromStdString(type);
    types.sort();
    expected.sort();
    EXPECT_EQ(types, expected);
}

}  // namespace

}  // namespace fovea::widgets
