// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

TEST(BenchCommand, gives_the_ratio_to_libtorch_with_its_quartiles) {
    const auto json = jsonOf(fovea({"bench", "ellipses", "--json"}));
    EXPECT_FALSE(json["cpu"].get<std::string>().empty());
    EXPECT_EQ(json["threads"], 1);
    EXPECT_FALSE(json["libtorch"].get<std::string>().empty());
    ASSERT_EQ(json["cases"].size(), 1U);
    const auto& one = json["cases"][0];
    EXPECT_EQ(one["rows"], 1000);
    EXPECT_EQ(one["columns"], 576);
    EXPECT_EQ(one["alpha"], 2);
    EXPECT_GT(one["low"], 0);
    EXPECT_LE(one["low"], one["ratio"]);
    EXPECT_LE(one["ratio"], one["high"]);
}

TEST(BenchCommand, names_that_are_not_there_are_refused) {
    EXPECT_TRUE(refused(fovea({"bench", "entmax"}), 2, {"entmax", "not there yet"}));
    EXPECT_TRUE(refused(fovea({"bench", "nonsense"}), 2, {"nonsense", "ellipses"}));
    EXPECT_TRUE(refused(fovea({"bench", "ellipses", "more"}), 2));
}

}  // namespace
}  // namespace fovea::test
