// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/io/array_conversion.h"
#include "core/io/numpy.h"
#include "core/io/safetensors.h"
#include "core/mechanism/continuous_1d.h"
#include "core/mechanism/continuous_2d.h"
#include "core/mechanism/moments.h"
#include "tests/app/fovea_process.h"

namespace fovea::test {
namespace {

void writeWeights(const std::filesystem::path& path, std::vector<double> weights) {
    const io::Array<double> array{{weights.size()}, std::move(weights)};
    ASSERT_TRUE(io::writeNpy(path, array));
}

TEST(DensityCommand, keys_are_exactly_those_promised) {
    const auto json =
        jsonOf(fovea({"density", "--mean", "0.5", "--scale", "0.01", "--alpha", "2", "--json"}));
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{"alpha", "covariance", "dimension", "lambda", "mass_outside",
                                              "mean", "peak", "radius", "region", "scale", "shannon_entropy",
                                              "support", "tsallis_entropy"}));
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

TEST(DensityCommand, heavy_tails_have_no_support_and_where_they_are_too_heavy_no_covariance) {
    const std::vector<std::vector<std::string>> places{{"--mean", "0.4", "--scale", "0.02"},
                                                       {"--mean", "0.4,0.6", "--scale", "0.02"}};
    for (const auto& place : places) {
        for (const std::string alpha : {"0.3", "0.7", "0.999"}) {
            std::vector<std::string> words{"density"};
            words.insert(words.end(), place.begin(), place.end());
            words.insert(words.end(), {"--alpha", alpha, "--json"});
            const auto json = jsonOf(fovea(words));
            for (const char* key : {"radius", "support"}) EXPECT_TRUE(json[key].is_null()) << key;
            EXPECT_GT(json["lambda"], 0.0);
            EXPECT_EQ(json["covariance"].is_null(), alpha == "0.3");
            EXPECT_GT(json["mass_outside"], 0.0);
            words.pop_back();
            EXPECT_EQ(fovea(words).exitCode, 0);
        }
    }
    const auto line =
        jsonOf(fovea({"density", "--mean", "0.4", "--scale", "0.02", "--alpha", "0.7", "--json"}));
    const auto density = Density1d::fromScale(0.4, 0.02, {0.7, 1});
    EXPECT_EQ(line["covariance"], density->variance());
    EXPECT_EQ(line["lambda"], *density->lambda());
    EXPECT_EQ(line["mass_outside"], density->massOutsideUnit());
}

TEST(DensityCommand, a_small_scale_is_no_error) {
    const auto json =
        jsonOf(fovea({"density", "--mean", "0.5", "--scale", "3e-22", "--alpha", "2", "--json"}));
    EXPECT_GT(json["peak"], 0.0);
}

TEST(DensityCommand, weights_match_their_moments_with_the_cell_floor) {
    const TemporaryFolder folder;
    writeWeights(folder / "w.npy", {0, 2, 6, 0});
    const auto json = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--alpha", "2", "--json"}));
    const double variance = 0.75 * 0.25 / 16 + 1.0 / (12 * 16);
    EXPECT_NEAR(json["mean"].get<double>(), 0.75 * 0.625 + 0.25 * 0.375, 1e-15);
    EXPECT_NEAR(json["covariance"].get<double>(), variance, 1e-15);
    const auto paper = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--alpha", "2", "--match",
                                     "paper", "--floor", "clip", "--json"}));
    EXPECT_NEAR(paper["scale"].get<double>(), 0.75 * 0.25 / 16, 1e-15);
}

TEST(DensityCommand, bad_numbers_are_refused_with_what_was_found) {
    const std::vector<std::vector<std::string>> lines{
        {"--mean", "0.5", "--scale", "0"},    {"--mean", "0.5", "--scale", "-1"},
        {"--mean", "0.5", "--scale", "nan"},  {"--mean", "0.5", "--scale", "inf"},
        {"--mean", "nan", "--scale", "1"},    {"--mean", "0.5", "--scale", "1", "--alpha", "0"},
        {"--mean", "0.5", "--scale", "1", "--alpha", "-1"},
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
    EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--floor", "none", "--json"}), 1,
                        {"w.npy", "variance"}));
    ASSERT_TRUE(io::writeNpy(file, io::Array<double>{{1, 2, 2}, {1, 1, 1, 1}}));
    EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--json"}), 1, {"w.npy", "[1, 2, 2]"}));
    ASSERT_TRUE(io::writeNpy(file, io::Array<double>{{2, 2}, {1, 1, -1, 1}}));
    EXPECT_TRUE(refused(fovea({"density", "--weights", file, "--json"}), 1, {"w.npy", "row 1, column 0"}));
    EXPECT_TRUE(refused(fovea({"density", "--weights", folder / "none.npy", "--json"}), 1, {"none.npy"}));
}

// Two dimensions.

std::vector<std::string> keysOf(const nlohmann::json& json) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : json.items()) keys.push_back(key);
    return keys;
}

void writeGrid(const std::filesystem::path& path, std::size_t rows, std::size_t columns) {
    io::Array<double> array{{rows, columns}, {}};
    for (std::size_t i = 0; i < rows * columns; ++i)
        array.values.push_back(1 + static_cast<double>(i * i % 7));
    ASSERT_TRUE(io::writeNpy(path, array));
}

TEST(DensityCommand, on_the_plane_has_the_same_keys_and_numbers_of_the_core) {
    const std::vector<std::string> scale{"--mean", "0.4,0.7", "--scale", "0.02,0.005,0.005,0.01"};
    const auto line = keysOf(jsonOf(fovea({"density", "--mean", "0.5", "--scale", "0.01", "--json"})));
    for (const std::string alpha : {"1", "1.5", "2", "10", "inf"}) {
        std::vector<std::string> words{"density"};
        words.insert(words.end(), scale.begin(), scale.end());
        words.insert(words.end(), {"--alpha", alpha, "--temperature", "0.5", "--mass", "0.8", "--json"});
        const auto json = jsonOf(fovea(words));
        EXPECT_EQ(keysOf(json), line);
        Eigen::Matrix2d matrix;
        matrix << 0.02, 0.005, 0.005, 0.01;
        const auto density = Density2d::fromScale({0.4, 0.7}, matrix, {std::stod(alpha), 0.5});
        EXPECT_EQ(json["dimension"], 2);
        EXPECT_EQ(json["mean"], nlohmann::json({0.4, 0.7}));
        EXPECT_EQ(json["scale"], nlohmann::json({0.01, 0.0025, 0.0025, 0.005}));
        const Eigen::Matrix2d v = density->covariance();
        EXPECT_EQ(json["covariance"], nlohmann::json({v(0, 0), v(0, 1), v(1, 0), v(1, 1)}));
        EXPECT_EQ(json["peak"], density->peak());
        EXPECT_EQ(json["mass_outside"], density->massOutsideUnit());
        const Ellipse region = density->region(0.8);
        EXPECT_EQ(json["region"]["semi_axes"], nlohmann::json({region.major, region.minor}));
        EXPECT_EQ(json["region"]["angle"], region.angle);
        EXPECT_EQ(json["region"]["centre"], json["mean"]);
        EXPECT_EQ(json["region"]["mass"], 0.8);
        EXPECT_EQ(json["support"].is_null(), alpha == "1");
        if (alpha == "1") continue;
        EXPECT_EQ(keysOf(json["support"]), (std::vector<std::string>{"angle", "centre", "semi_axes"}));
        EXPECT_EQ(json["support"]["semi_axes"][0], density->support()->major);
    }
    const auto round = jsonOf(fovea({"density", "--mean", "-0.5,0.5", "--scale", "0.01", "--json"}));
    EXPECT_EQ(round["scale"], nlohmann::json({0.01, 0, 0, 0.01}));
    EXPECT_GT(round["mass_outside"], 0.99);
}

TEST(DensityCommand, weights_of_two_axes_are_their_own_grid) {
    const TemporaryFolder folder;
    writeGrid(folder / "flat.npy", 3, 5);
    io::Array<double> list = std::get<io::Array<double>>(*io::readNpy(folder / "flat.npy"));
    list.shape = {15};
    ASSERT_TRUE(io::writeNpy(folder / "list.npy", list));
    const auto own = jsonOf(fovea({"density", "--weights", folder / "flat.npy", "--alpha", "2", "--json"}));
    EXPECT_EQ(own["dimension"], 2);
    EXPECT_EQ(own, jsonOf(fovea({"density", "--weights", folder / "list.npy", "--grid", "3x5", "--alpha", "2",
                                 "--json"})));
    EXPECT_EQ(own, jsonOf(fovea({"density", "--weights", folder / "flat.npy", "--grid", "3x5", "--alpha", "2",
                                 "--json"})));
    EXPECT_EQ(jsonOf(fovea({"density", "--weights", folder / "list.npy", "--json"}))["dimension"], 1);
}

TEST(DensityCommand, a_mixture_has_components_with_weights_and_the_same_keys) {
    const TemporaryFolder folder;
    writeGrid(folder / "w.npy", 6, 9);
    writeWeights(folder / "line.npy", {9, 8, 1, 0.1, 0.1, 0.1, 1, 5, 1});
    for (const std::string file : {"w.npy", "line.npy"}) {
        const auto json = jsonOf(
            fovea({"density", "--weights", folder / file, "--components", "2", "--alpha", "2", "--json"}));
        EXPECT_EQ(keysOf(json), (std::vector<std::string>{"alpha", "components", "covariance", "dimension",
                                                          "mass_outside", "mean"}));
        ASSERT_EQ(json["components"].size(), 2U);
        auto keys = keysOf(jsonOf(fovea({"density", "--weights", folder / file, "--json"})));
        keys.push_back("weight");
        double weights = 0;
        double outside = 0;
        for (const auto& component : json["components"]) {
            EXPECT_EQ(keysOf(component), keys);
            weights += component["weight"].get<double>();
            outside += component["weight"].get<double>() * component["mass_outside"].get<double>();
        }
        EXPECT_NEAR(weights, 1, 1e-12);
        EXPECT_NEAR(json["mass_outside"].get<double>(), outside, 1e-12);
        EXPECT_GE(json["components"][0]["weight"], json["components"][1]["weight"]);
        const auto text = fovea({"density", "--weights", folder / file, "--components", "2"});
        EXPECT_EQ(text.exitCode, 0);
    }
    const auto one = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--components", "1", "--json"}));
    EXPECT_FALSE(one.contains("components"));
}

TEST(DensityCommand, bad_planes_are_refused_with_the_arithmetic) {
    const TemporaryFolder folder;
    writeWeights(folder / "w.npy", std::vector<double>(13, 1.0));
    writeGrid(folder / "g.npy", 3, 5);
    const auto density = [](std::vector<std::string> words) {
        words.insert(words.begin(), "density");
        return fovea(words);
    };
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "1,2,2,1"}), 1,
                        {"positive definite", "1 x 1 - 2 x 2 = -3"}));
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "1,0,0.5,1"}), 1, {"symmetric"}));
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "0"}), 1));
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "1", "--mass", "1"}), 1, {"--mass"}));
    EXPECT_TRUE(
        refused(density({"--weights", folder / "w.npy", "--grid", "3x4"}), 1, {"w.npy", "3 x 4 = 12", "13"}));
    EXPECT_TRUE(
        refused(density({"--weights", folder / "g.npy", "--grid", "5x3"}), 1, {"g.npy", "[3, 5]", "5x3"}));
    for (const std::string count : {"0", "9", "-1"}) {
        EXPECT_TRUE(refused(density({"--weights", folder / "w.npy", "--components", count}), 1,
                            {"--components", count}));
    }
    for (const std::string grid : {"3", "3x", "x3", "3x4x", "0x4", "-1x4", "three"}) {
        EXPECT_TRUE(refused(density({"--weights", folder / "w.npy", "--grid", grid}), 2, {"--grid"})) << grid;
    }
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "1", "--grid", "2x2"}), 2, {"--weights"}));
    EXPECT_TRUE(
        refused(density({"--mean", "0.5,0.5", "--scale", "1", "--components", "2"}), 2, {"--weights"}));
    EXPECT_TRUE(refused(density({"--mean", "0.5,0.5", "--scale", "1,2,3"}), 2, {"--scale", "3"}));
    EXPECT_TRUE(refused(density({"--mean", "0.5", "--scale", "1,0,0,1"}), 2, {"--scale", "4"}));
    EXPECT_TRUE(refused(density({"--mean", "1,2,3", "--scale", "1"}), 2, {"--mean", "3"}));
    EXPECT_TRUE(refused(density({"--mean", "1,", "--scale", "1"}), 2, {"--mean"}));
}

TEST(DensityCommand, more_components_than_positions_with_weight_are_refused_with_both_numbers) {
    const TemporaryFolder folder;
    writeWeights(folder / "w.npy", {0, 3, 0, 1, 0, 2});
    const auto with = [&](const std::string& count) {
        return fovea({"density", "--weights", folder / "w.npy", "--components", count, "--json"});
    };
    EXPECT_EQ(jsonOf(with("3"))["components"].size(), 3U);
    EXPECT_TRUE(refused(with("4"), 1, {"w.npy", "4 components", "found 3 of 6"}));
}

TEST(DensityCommand, weights_come_from_every_format_and_floating_type) {
    const TemporaryFolder folder;
    const std::vector<double> values{0.5, 0, 0.25, 0.125};
    writeWeights(folder / "w.npy", values);
    const auto expected = jsonOf(fovea({"density", "--weights", folder / "w.npy", "--alpha", "2", "--json"}));
    std::vector<std::byte> halves(8);
    std::vector<double> copy = values;
    io::storeElements(copy, io::ElementType::F16, halves);
    ASSERT_TRUE(io::writeNpy(folder / "h.npy", io::ArrayView{io::ElementType::F16, {4}, halves}));
    io::SafetensorsWriter writer;
    writer.addBytes("w", io::ElementType::F16, {4}, halves);
    ASSERT_TRUE(writer.write(folder / "w.safetensors"));
    const std::vector<io::NpzEntry> two{{"w", io::Array<double>{{4}, values}},
                                        {"v", io::Array<double>{{1}, {1}}}};
    ASSERT_TRUE(io::writeNpz(folder / "two.npz", two));
    for (const std::string file : {"h.npy", "w.safetensors"}) {
        EXPECT_EQ(jsonOf(fovea({"density", "--weights", folder / file, "--alpha", "2", "--json"})), expected);
    }
    EXPECT_EQ(jsonOf(fovea({"density", "--weights", folder / "two.npz", "--array", "w", "--alpha", "2",
                            "--json"})),
              expected);
    EXPECT_TRUE(refused(fovea({"density", "--weights", folder / "two.npz"}), 2, {"two.npz", "w, v"}));
    EXPECT_TRUE(refused(fovea({"density", "--mean", "0", "--scale", "1", "--array", "w"}), 2, {"--weights"}));
}

TEST(DensityCommand, weights_on_one_line_need_a_floor) {
    const TemporaryFolder folder;
    io::Array<double> diagonal{{5, 5}, std::vector<double>(25, 0.0)};
    for (std::size_t i = 0; i < 5; ++i) diagonal.values[i * 6] = 1;
    ASSERT_TRUE(io::writeNpy(folder / "w.npy", diagonal));
    EXPECT_TRUE(
        refused(fovea({"density", "--weights", folder / "w.npy", "--floor", "none"}), 1, {"w.npy", "cell"}));
    const auto clipped =
        jsonOf(fovea({"density", "--weights", folder / "w.npy", "--floor", "clip", "--json"}));
    EXPECT_NEAR(clipped["region"]["angle"].get<double>(), std::atan(1.0), 1e-12);
}

}  // namespace
}  // namespace fovea::test
