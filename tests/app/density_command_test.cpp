// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/io/numpy.h"
#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/moments.h"
#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

void writeWeights(const std::filesystem::path& path, std::vector<double> weights) {
    const io::Array<double> array{{weights.size()}, std::move(weights)};
    ASSERT_TRUE(io::writeNpy(path, array));
}

TEST(DensityCommand, keys_are_exactly_those_promised) {
    const auto json = jsonOf(fovea({"density", "--mean", "0.5", "--scale", "0.01", "--alpha", "2", "--json"}));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{"alpha", "covariance", "dimension", "lambda", "mass_outside", "mean",
                                              "peak", "radius", "region", "scale", "shannon_entropy", "support",
                                              "tsallis_entropy"}));
    EXPECT_EQ(json["dimension"], 1);
    EXPECT_EQ(json["region"]["mass"], 0.5);
}

TEST(DensityCommand, numbers_are_those_of_the_core_to_the_last_digit) {
    for (const std::string alpha : {"1", "1.5", "2", "10"}) {
        const auto json = jsonOf(fovea({"density", "--mean", "0.3", "--scale", "0.02", "--alpha", alpha,
                                        "--temperature", "0.5", "--mass", "0.8", "--json"}));
        const auto density = Density1d::fromScale(0.3, 0.02, {std::stod(alpha), 0.5});
        EXPECT_EQ(json["mean"], density->mean());
        EXPECT_EQ(json["scale"], density->scale());
        EXPECT_EQ(json["covariance"], density->variance());
        EXPECT_EQ(json["peak"], density->peak());
        EXPECT_EQ(json["shannon_entropy"], density->shannonEntropy());
        EXPECT_EQ(json["tsallis_entropy"], density->tsallisEntropy());
        EXPECT_EQ(json["mass_outside"], density->massOutsideUnit());
        EXPECT_EQ(json["region"]["low"], density->region(0.8).low);
        EXPECT_EQ(json["region"]["high"], density->region(0.8).high);
        if (alpha == "1") {
            for (const char* key : {"lambda", "radius", "support"}) EXPECT_TRUE(json[key].is_null()) << key;
        } else {
            EXPECT_EQ(json["lambda"], *density->lambda());
            EXPECT_EQ(json["radius"], *density->radius());
            EXPECT_EQ(json["support"]["low"], density->support()->low);
        }
    }
}

TEST(DensityCommand, a_small_scale_is_no_error) {
    const auto json = jsonOf(fovea({"density", "--mean", "0.5", "--scale", "3e-22", "--alpha", "2", "--json"}));
    EXPECT_GT(json["peak"], 0.0);
}

TEST(DensityCommand, weights_match_their_moments_with_the_cell_floor) {
    const TemporaryFolder folder;
    writeWeights(folder / "w.npy", {0, 2, 6, 0});
    const auto json = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--alpha", "2", "--json"}));
    const double variance = 0.75 * 0.25 / 16 + 1.0 / (12 * 16);
    EXPECT_NEAR(json["mean"].get<double>(), 0.75 * 0.625 + 0.25 * 0.375, 1e-15);
    EXPECT_NEAR(json["covariance"].get<double>(), variance, 1e-15);
    const auto paper = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--alpha", "2", "--match", "paper",
                                     "--floor", "clip", "--json"}));
    EXPECT_NEAR(paper["scale"].get<double>(), 0.75 * 0.25 / 16, 1e-15);
}

TEST(DensityCommand, bad_numbers_are_refused_with_what_was_found) {
    const std::vector<std::vector<std::string>> lines{
        {"--mean", "0.5", "--scale", "0"},    {"--mean", "0.5", "--scale", "-1"},
        {"--mean", "0.5", "--scale", "nan"},  {"--mean", "0.5", "--scale", "inf"},
        {"--mean", "nan", "--scale", "1"},    {"--mean", "0.5", "--scale", "1", "--alpha", "0.5"},
        {"--mean", "0.5", "--scale", "1", "--alpha", "nan"},
        {"--mean", "0.5", "--scale", "1", "--temperature", "0"},
        {"--mean", "0.5", "--scale", "1", "--temperature", "-2"},
        {"--mean", "0.5", "--scale", "1", "--mass", "1"},
        {"--mean", "0.5", "--scale", "1", "--mass", "-0.1"},
        {"--mean", "0.5", "--scale", "1", "--mass", "nan"}};
    for (auto line : lines) {
        line.insert(line.begin(), "density");
        line.push_back("--json");
        EXPECT_TRUE(refused(fovea(line), 1)) << testing::PrintToString(line);
    }
}

TEST(DensityCommand, bad_weights_are_refused_by_name) {
    const TemporaryFolder folder;
    const std::string file = folder / "w.npy";
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    for (const std::vector<double>& weights :
         {std::vector<double>{}, {0, 0}, {1, -1}, {1, nan}, {1, infinity}}) {
        writeWeights(file, weights);
        EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--json"}), 1, {"w.npy"}));
    }
    writeWeights(file, {0, 1, 0});
    EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--floor", "none", "--json"}), 1, {"w.npy", "variance"}));
    ASSERT_TRUE(io::writeNpy(file, io::Array<double>{{2, 2}, {1, 1, 1, 1}}));
    EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--json"}), 1, {"w.npy", "[2, 2]"}));
    EXPECT_TRUE(refused(fovea({"density", "--weights", folder / "none.npy", "--json"}), 1, {"none.npy"}));
}

}  // namespace
}  // namespace fovea::test
