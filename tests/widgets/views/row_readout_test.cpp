// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/views/row_readout.h"

#include <gtest/gtest.h>

#include "tests/widgets/sample_pictures.h"

namespace fovea::widgets {

namespace {

QString valueOf(const std::vector<ReadoutLine>& lines, const QString& name) {
    for (const auto& [label, value] : lines) {
        if (label == name) return value;
    }
    return {};
}

PanelPicture picture() {
    const auto trace = test::sentence();
    return test::rowPicture(trace, test::someWeights(trace->tokens.size(), 1), 1);
}

TEST(RowReadout, gives_support_out_of_what_is_visible) {
    const PanelPicture shown = picture();
    const auto lines = readoutLines(shown, *shown.row);
    EXPECT_EQ(valueOf(lines, QStringLiteral("support")),
              QStringLiteral("%1 of %2").arg(shown.row->support).arg(shown.row->visibleKeys));
}

TEST(RowReadout, what_is_not_there_is_a_dash) {
    PanelPicture shown = picture();
    auto row = std::make_shared<session::RowEvaluation>(*shown.row);
    row->threshold = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(valueOf(readoutLines(shown, *row), QStringLiteral("threshold")), QStringLiteral("–"));
}

TEST(RowReadout, a_density_adds_its_interval) {
    const PanelPicture discrete = picture();
    const PanelPicture continuous = test::withParabola(discrete, 4, 3);
    EXPECT_GT(readoutLines(continuous, *continuous.row).size(), readoutLines(discrete, *discrete.row).size());
}

TEST(RowReadout, empty_and_invalid_rows_say_so) {
    PanelPicture shown = picture();
    auto row = std::make_shared<session::RowEvaluation>(*shown.row);
    row->state = RowState::Empty;
    EXPECT_EQ(readoutLines(shown, *row).size(), 1U);
    row->state = RowState::Invalid;
    EXPECT_EQ(readoutLines(shown, *row).size(), 1U);
}

TEST(RowReadout, the_copy_names_the_token) {
    RowReadout readout;
    const PanelPicture shown = picture();
    readout.setRow(shown, shown.row);
    EXPECT_TRUE(readout.copyText().contains(QString::fromStdString(shown.trace->tokens.at(1).text)));
    EXPECT_TRUE(readout.copyText().contains(QStringLiteral("entropy\t")));
    readout.setRow(shown, nullptr);
    EXPECT_TRUE(readout.copyText().isEmpty());
}

}  // namespace

}  // namespace fovea::widgets
