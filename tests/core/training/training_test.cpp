// SPDX-License-Identifier: GPL-3.0-or-later
//
// The optimiser and the loop, on a task that takes a second.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <gtest/gtest.h>

#include "core/training/torch/garment_trainer.h"
#include "tests/core/training/small_task.h"

namespace fovea::test {
namespace {

using namespace training;

at::Tensor vectorOf(double first, double second) {
    at::Tensor tensor = at::empty({2}, at::TensorOptions(at::kDouble));
    tensor[0] = first;
    tensor[1] = second;
    return tensor;
}

/// The first step of Adam is the rate in the direction of each gradient's sign.
TEST(Adam, goes_by_the_rate_at_its_first_step) {
    const at::Tensor weight = vectorOf(1, -2);
    Adam adam({weight}, {0.9, 0.999, 1e-12, 0.5});
    adam.step({vectorOf(3, -0.01)}, 0.1);
    EXPECT_NEAR(weight[0].item<double>(), 0.9, 1e-9);
    EXPECT_NEAR(weight[1].item<double>(), -1.9, 1e-9);
}

TEST(Adam, follows_the_formula_over_several_steps) {
    const at::Tensor weight = vectorOf(0.5, 0.5).reshape({1, 2});  // a matrix, which decays
    Adam adam({weight}, {0.8, 0.9, 1e-6, 0.1});
    double expected = 0.5, mean = 0, square = 0;
    for (int step = 1; step <= 5; ++step) {
        const double gradient = 1.0 / step;
        adam.step({vectorOf(gradient, gradient).reshape({1, 2})}, 0.05);
        mean = 0.8 * mean + 0.2 * gradient;
        square = 0.9 * square + 0.1 * gradient * gradient;
        expected -= 0.05 * 0.1 * expected;
        expected -= 0.05 * (mean / (1 - std::pow(0.8, step))) /
                    (std::sqrt(square / (1 - std::pow(0.9, step))) + 1e-6);
        EXPECT_NEAR(weight[0][1].item<double>(), expected, 1e-12);
    }
}

TEST(Adam, finds_the_lowest_point_of_a_bowl) {
    const at::Tensor weight = vectorOf(4, -3);
    Adam adam({weight}, {0.9, 0.999, 1e-8, 0});
    for (int step = 0; step < 400; ++step) adam.step({2 * (weight - vectorOf(1, 2))}, 0.05);
    EXPECT_NEAR(weight[0].item<double>(), 1, 0.01);
    EXPECT_NEAR(weight[1].item<double>(), 2, 0.01);
}

TEST(Gradients, are_cut_to_the_norm_and_left_alone_below_it) {
    const std::vector<at::Tensor> gradients = {vectorOf(3, 0), vectorOf(0, 4)};
    cutToNorm(gradients, 10);
    EXPECT_EQ(gradients[1][1].item<double>(), 4);
    cutToNorm(gradients, 1);
    EXPECT_NEAR(gradients[0][0].item<double>(), 0.6, 1e-12);
    EXPECT_NEAR(gradients[1][1].item<double>(), 0.8, 1e-12);
}

TEST(ShardTeam, does_every_shard_once_and_passes_on_what_is_thrown) {
    ShardTeam team(2, [] {});
    std::vector<int> done(5, 0);
    for (int round = 0; round < 3; ++round) team.run(5, [&](std::size_t shard) { ++done[shard]; });
    EXPECT_EQ(done, std::vector<int>(5, 3));
    EXPECT_THROW(team.run(2, [](std::size_t) { throw std::runtime_error("x"); }), std::runtime_error);
}

TEST(GarmentTrainer, learns_a_small_task) {
    const GarmentRecipe recipe = smallRecipe();
    const GarmentSplit garments = barredSplit(3);
    GarmentTrainer trainer(recipe, garments);
    std::vector<EpochReport> epochs;
    for (std::size_t epoch = 0; epoch < recipe.training.epochs; ++epoch) {
        const auto report = trainer.runEpoch({});
        ASSERT_TRUE(report) << report.error().message;
        epochs.push_back(*report);
    }
    EXPECT_LT(epochs.back().loss, 0.5 * epochs.front().loss);
    EXPECT_GT(epochs.back().labelAccuracy, 0.9);
}

TEST(GarmentTrainer, gives_the_same_weights_again) {
    GarmentRecipe recipe = smallRecipe();
    recipe.training.picturesPerEpoch = 64;
    const GarmentSplit garments = barredSplit(3);
    GarmentTrainer first(recipe, garments);
    GarmentTrainer again(recipe, garments);
    ASSERT_TRUE(first.runEpoch({}));
    ASSERT_TRUE(again.runEpoch({}));
    for (const std::string& name : first.weights().names()) {
        EXPECT_TRUE(first.weights().get(name).equal(again.weights().get(name))) << name;
    }
}

TEST(GarmentTrainer, stops_when_asked) {
    const GarmentRecipe recipe = smallRecipe();
    const GarmentSplit garments = barredSplit(3);
    GarmentTrainer trainer(recipe, garments);
    std::stop_source source;
    source.request_stop();
    const auto report = trainer.runEpoch({source.get_token(), {}});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().kind, ErrorKind::Cancelled);
}

TEST(GarmentTrainer, reports_its_progress_up_to_the_end) {
    GarmentRecipe recipe = smallRecipe();
    recipe.training.epochs = 1;
    const GarmentSplit garments = barredSplit(3);
    GarmentTrainer trainer(recipe, garments);
    std::vector<double> fractions;
    ASSERT_TRUE(trainer.runEpoch({{}, [&](std::string_view, double done) { fractions.push_back(done); }}));
    EXPECT_EQ(fractions.size(), recipe.training.steps());
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_EQ(fractions.back(), 1);
}

}  // namespace
}  // namespace fovea::test
