// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/picture_evaluation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <random>

namespace fovea::session {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MechanismChoice continuous(double alpha, VarianceFloor floor = VarianceFloor::Cell) {
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    choice.density = {alpha, 1.0};
    choice.floor = floor;
    return choice;
}

MechanismChoice mixtureOf(std::size_t components, double alpha = 2) {
    MechanismChoice choice = continuous(alpha);
    choice.domain = Domain::Mixture;
    choice.mixture.components = components;
    return choice;
}

std::vector<double> randomWeights(std::size_t count, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<double> weights(count);
    for (double& weight : weights) weight = std::pow(unit(engine), 5);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    return weights;
}

/// Two bumps on a grid of 12 x 16 patches behind one class token.
std::vector<double> twoBumps() {
    std::vector<double> weights{0.25};
    for (int r = 0; r < 12; ++r) {
        for (int c = 0; c < 16; ++c) {
            weights.push_back(2 * std::exp(-((r - 3) * (r - 3) + (c - 3) * (c - 3)) / 2.0) +
                              std::exp(-((r - 9) * (r - 9) + (c - 12) * (c - 12)) / 2.0));
        }
    }
    return weights;
}

TEST(PictureEvaluation, prefix_is_left_out_of_the_ellipse_and_its_mass_is_stated) {
    const auto weights = randomWeights(6 * 5 + 4, 1);
    const PatchGrid grid{6, 5, 3};
    const auto picture = evaluatePicture(weights, grid, continuous(2));
    ASSERT_TRUE(picture) << picture.error().message;
    const double prefix = weights[0] + weights[1] + weights[2] + weights.back();
    EXPECT_NEAR(picture->prefixMass, prefix, 1e-15);
    EXPECT_NEAR(picture->patchMass, 1 - prefix, 1e-15);
    const std::vector<double> patches(weights.begin() + 3, weights.end() - 1);
    const auto alone = evaluatePicture(patches, {6, 5, 0}, continuous(2));
    ASSERT_EQ(picture->ellipses.size(), 1U);
    EXPECT_LE((picture->ellipses[0].density.mean() - alone->ellipses[0].density.mean()).norm(), 1e-15);
    EXPECT_NEAR(picture->ellipses[0].border.major, alone->ellipses[0].border.major, 1e-15);
    EXPECT_EQ(alone->prefixMass, 0);
}

TEST(PictureEvaluation, discrete_domain_states_the_masses_alone) {
    const auto weights = randomWeights(13, 2);
    const auto picture = evaluatePicture(weights, {3, 4, 1}, MechanismChoice{});
    ASSERT_TRUE(picture);
    EXPECT_TRUE(picture->ellipses.empty());
    EXPECT_NEAR(picture->patchMass + picture->prefixMass, 1, 1e-15);
}

TEST(PictureEvaluation, ellipse_has_the_moments_of_the_patches_and_their_cells) {
    const auto weights = randomWeights(7 * 9, 3);
    for (const double alpha : {1.0, 1.5, 2.0, infinity}) {
        const auto picture = evaluatePicture(weights, {7, 9, 0}, continuous(alpha));
        const auto moments = weightedMoments(weights, 7, 9).value();
        const Density2d& density = picture->ellipses[0].density;
        EXPECT_LE((density.mean() - moments.mean).norm(), 1e-15);
        Eigen::Matrix2d cell = Eigen::Matrix2d::Zero();
        cell.diagonal() << 1.0 / (12 * 81), 1.0 / (12 * 49);
        EXPECT_LE((density.covariance() - moments.covariance - cell).norm(), 1e-15) << alpha;
    }
}

TEST(PictureEvaluation, border_is_the_support_or_the_ninety_percent_region) {
    const auto weights = randomWeights(64, 4);
    const auto gaussian = evaluatePicture(weights, {8, 8, 0}, continuous(1))->ellipses[0];
    EXPECT_FALSE(gaussian.bounded);
    EXPECT_EQ(gaussian.borderMass, 0.9);
    EXPECT_EQ(gaussian.border.major, gaussian.density.region(0.9).major);
    const auto bounded = evaluatePicture(weights, {8, 8, 0}, continuous(2))->ellipses[0];
    EXPECT_TRUE(bounded.bounded);
    EXPECT_EQ(bounded.borderMass, 1);
    EXPECT_EQ(bounded.border.minor, bounded.density.support()->minor);
    EXPECT_EQ(bounded.half.major, bounded.density.region(0.5).major);
    EXPECT_EQ(bounded.massOutside, bounded.density.massOutsideUnit());
}

TEST(PictureEvaluation, all_weight_on_the_prefix_leaves_no_ellipse) {
    std::vector<double> weights(10, 0.0);
    weights[0] = 1;
    for (const auto& choice : {continuous(2), mixtureOf(3)}) {
        const auto picture = evaluatePicture(weights, {3, 3, 1}, choice);
        ASSERT_TRUE(picture);
        EXPECT_TRUE(picture->ellipses.empty());
        EXPECT_EQ(picture->prefixMass, 1);
    }
}

TEST(PictureEvaluation, one_patch_has_an_ellipse_of_its_cell_and_none_without_a_floor) {
    std::vector<double> weights(12, 0.0);
    weights[6] = 1;
    const auto cell = evaluatePicture(weights, {3, 4, 0}, continuous(1));
    ASSERT_TRUE(cell);
    EXPECT_NEAR(cell->ellipses[0].density.covariance()(0, 0), 1.0 / (12 * 16), 1e-16);
    const auto none = evaluatePicture(weights, {3, 4, 0}, continuous(1, VarianceFloor::None));
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().message.find("cell"), std::string::npos) << none.error().message;
    // A diagonal line is singular too, whatever its rounding.
    std::vector<double> line(49, 0.0);
    for (std::size_t i = 0; i < 7; ++i) line[i * 8] = 1 + 0.1 * static_cast<double>(i);
    EXPECT_FALSE(evaluatePicture(line, {7, 7, 0}, continuous(2, VarianceFloor::None)));
    EXPECT_TRUE(evaluatePicture(line, {7, 7, 0}, continuous(2, VarianceFloor::Clip)));
}

TEST(PictureEvaluation, mixture_finds_both_places_heaviest_first) {
    const auto picture = evaluatePicture(twoBumps(), {12, 16, 1}, mixtureOf(2));
    ASSERT_TRUE(picture);
    ASSERT_EQ(picture->ellipses.size(), 2U);
    EXPECT_NEAR(picture->ellipses[0].weight, 2.0 / 3, 0.01);
    EXPECT_NEAR(picture->ellipses[0].density.mean().x(), 3.5 / 16, 0.01);
    EXPECT_NEAR(picture->ellipses[1].density.mean().y(), 9.5 / 12, 0.01);
    EXPECT_TRUE(std::isfinite(picture->logLikelihood));
}

TEST(PictureEvaluation, mixture_of_one_is_the_single_density) {
    const auto weights = randomWeights(80, 5);
    const auto one = evaluatePicture(weights, {8, 10, 0}, mixtureOf(1));
    const auto single = evaluatePicture(weights, {8, 10, 0}, continuous(2));
    ASSERT_EQ(one->ellipses.size(), 1U);
    EXPECT_EQ(one->ellipses[0].weight, 1);
    EXPECT_NEAR(one->ellipses[0].border.major, single->ellipses[0].border.major, 1e-4);
    EXPECT_NEAR(one->ellipses[0].border.angle, single->ellipses[0].border.angle, 1e-4);
}

TEST(PictureEvaluation, a_grid_that_does_not_fit_is_refused_with_the_arithmetic) {
    const auto weights = randomWeights(20, 6);
    for (const PatchGrid& grid : {PatchGrid{4, 5, 1}, PatchGrid{0, 5, 0}, PatchGrid{3, 3, 30},
                                  PatchGrid{7, 3, 0}}) {
        EXPECT_FALSE(evaluatePicture(weights, grid, continuous(2)));
    }
    const auto refused = evaluatePicture(weights, {4, 5, 1}, continuous(2));
    EXPECT_NE(refused.error().message.find("4 x 5 = 20"), std::string::npos) << refused.error().message;
}

TEST(MassOfPatches, sums_to_one_with_what_is_outside_and_follows_the_density) {
    const auto picture = evaluatePicture(twoBumps(), {12, 16, 1}, continuous(1.5));
    const Density2d& density = picture->ellipses[0].density;
    const auto masses = massOfPatches(density, 12, 16);
    ASSERT_EQ(masses.size(), 192U);
    EXPECT_NEAR(std::accumulate(masses.begin(), masses.end(), 0.0) + density.massOutsideUnit(), 1, 1e-12);
    for (const double mass : masses) EXPECT_GE(mass, 0);
    EXPECT_NEAR(masses[5 * 16 + 7], density({7.5 / 16, 5.5 / 12}) / 192, 2e-2 * masses[5 * 16 + 7]);
}

}  // namespace
}  // namespace fovea::session
