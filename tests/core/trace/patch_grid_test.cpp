// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/patch_grid.h"

#include <gtest/gtest.h>

namespace fovea::test {
namespace {

TEST(PatchGrid, row_and_column_lead_back_to_the_position) {
    for (const PatchGrid grid : {PatchGrid{3, 5, 1}, PatchGrid{1, 1, 0}, PatchGrid{7, 2, 40}}) {
        std::size_t position = grid.first;
        for (std::size_t row = 0; row < grid.rows; ++row) {
            for (std::size_t column = 0; column < grid.columns; ++column, ++position) {
                EXPECT_EQ(grid.positionOf(row, column), position);
                EXPECT_EQ(grid.rowOf(position), row);
                EXPECT_EQ(grid.columnOf(position), column);
            }
        }
        EXPECT_EQ(position - grid.first, grid.count());
    }
}

TEST(PatchGrid, contains_its_patches_and_nothing_before_or_behind) {
    const PatchGrid grid{2, 3, 4};
    for (std::size_t position = 0; position < 20; ++position) {
        EXPECT_EQ(grid.contains(position), position >= 4 && position < 10) << position;
    }
    EXPECT_FALSE(PatchGrid{}.contains(0));
}

}  // namespace
}  // namespace fovea::test
