// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/mixture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "core/mechanism/moments_2d.h"
#include "core/support/precondition.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::numbers;

std::vector<Eigen::Vector2d> gridCentres(std::size_t rows, std::size_t columns) {
    std::vector<Eigen::Vector2d> centres;
    for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t c = 0; c < columns; ++c) {
            centres.emplace_back((static_cast<double>(c) + 0.5) / static_cast<double>(columns),
                                 (static_cast<double>(r) + 0.5) / static_cast<double>(rows));
        }
    }
    return centres;
}

double bump(const Eigen::Vector2d& x, const Eigen::Vector2d& at, double width) {
    return std::exp(-(x - at).squaredNorm() / (2 * width * width));
}

/// Weights of 0.6 and 0.4 around two places of a 20 x 20 grid.
std::vector<double> twoPlaces(const std::vector<Eigen::Vector2d>& centres) {
    std::vector<double> first;
    std::vector<double> second;
    for (const auto& x : centres) {
        first.push_back(bump(x, {0.25, 0.3}, 0.06));
        second.push_back(bump(x, {0.75, 0.7}, 0.08));
    }
    const double ofFirst = std::accumulate(first.begin(), first.end(), 0.0);
    const double ofSecond = std::accumulate(second.begin(), second.end(), 0.0);
    std::vector<double> weights(centres.size());
    for (std::size_t l = 0; l < weights.size(); ++l)
        weights[l] = 0.6 * first[l] / ofFirst + 0.4 * second[l] / ofSecond;
    return weights;
}

std::vector<double> noise(std::size_t count, unsigned seed) {
    std::mt19937_64 engine(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<double> weights(count);
    for (double& weight : weights) weight = std::pow(unit(engine), 4);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    return weights;
}

TEST(Mixture, of_one_component_has_the_moments_of_the_weights) {
    const auto centres = gridCentres(9, 14);
    for (unsigned seed = 0; seed < 20; ++seed) {
        const auto weights = noise(centres.size(), seed);
        const auto fit = fitMixture<2>(weights, centres, {.components = 1, .covarianceFloor = 1e-6});
        ASSERT_TRUE(fit) << fit.error().message;
        ASSERT_EQ(fit->components.size(), 1U);
        const auto moments = weightedMoments(weights, 9, 14).value();
        EXPECT_EQ(fit->components[0].weight, 1);
        EXPECT_LE((fit->components[0].mean - moments.mean).norm(), 1e-14);
        const Eigen::Matrix2d floored = moments.covariance + 1e-6 * Eigen::Matrix2d::Identity();
        EXPECT_LE((fit->components[0].covariance - floored).norm(), 1e-14);
    }
}

TEST(Mixture, finds_two_separate_places_with_their_shares) {
    const auto centres = gridCentres(20, 20);
    const auto fit = fitMixture<2>(twoPlaces(centres), centres, {.components = 2});
    ASSERT_TRUE(fit);
    ASSERT_EQ(fit->components.size(), 2U);
    EXPECT_NEAR(fit->components[0].weight, 0.6, 1e-3);
    EXPECT_NEAR(fit->components[0].mean.x(), 0.25, 2e-3);
    EXPECT_NEAR(fit->components[1].mean.y(), 0.70, 2e-3);
    EXPECT_NEAR(fit->components[1].covariance(0, 0), 0.0064, 2e-4);
}

TEST(Mixture, likelihood_rises_at_every_step) {
    const auto centres = gridCentres(12, 12);
    for (unsigned seed = 0; seed < 10; ++seed) {
        const auto weights = noise(centres.size(), seed);
        std::vector<MixtureComponent<2>> components(3);
        for (std::size_t k = 0; k < 3; ++k) {
            components[k].weight = 1.0 / 3;
            components[k].mean = centres[k * 50 + seed];
            components[k].covariance *= 0.05;
        }
        double before = expectationMaximisationStep<2>(weights, centres, 1e-9, components);
        for (int i = 0; i < 30; ++i) {
            const double now = expectationMaximisationStep<2>(weights, centres, 1e-9, components);
            EXPECT_GE(now, before - 1e-6);
            before = now;
            double sum = 0;
            for (const auto& component : components) sum += component.weight;
            EXPECT_NEAR(sum, 1, 1e-12);
        }
    }
}

TEST(Mixture, as_a_whole_keeps_the_moments_of_the_weights) {
    // True of every M-step: the law of total variance, up to the floor.
    const auto centres = gridCentres(9, 14);
    const auto weights = noise(centres.size(), 2);
    const auto fit = fitMixture<2>(weights, centres, {.components = 3, .covarianceFloor = 1e-9}).value();
    const auto whole = wholeOf<2>(fit.components);
    const auto moments = weightedMoments(weights, 9, 14).value();
    EXPECT_LE((whole.mean - moments.mean).norm(), 1e-12);
    EXPECT_LE((whole.covariance - moments.covariance).norm(), 1e-8);
}

TEST(Mixture, is_the_same_every_time_and_heaviest_first) {
    const auto centres = gridCentres(15, 11);
    const auto weights = noise(centres.size(), 7);
    const auto first = fitMixture<2>(weights, centres, {.components = 4}).value();
    const auto second = fitMixture<2>(weights, centres, {.components = 4}).value();
    EXPECT_EQ(first.logLikelihood, second.logLikelihood);
    for (std::size_t k = 0; k < first.components.size(); ++k) {
        EXPECT_EQ(first.components[k].mean, second.components[k].mean);
        if (k == 0) continue;
        EXPECT_GE(first.components[k - 1].weight, first.components[k].weight);
    }
}

TEST(Mixture, does_not_depend_on_the_scale_of_the_weights) {
    const auto centres = gridCentres(8, 8);
    auto weights = noise(centres.size(), 3);
    const auto plain = fitMixture<2>(weights, centres, {.components = 2}).value();
    for (double& weight : weights) weight *= 1e300;
    const auto scaled = fitMixture<2>(weights, centres, {.components = 2}).value();
    EXPECT_LE((plain.components[0].mean - scaled.components[0].mean).norm(), 1e-10);
}

TEST(Mixture, number_of_components_follows_the_criterion) {
    const auto centres = gridCentres(20, 20);
    const auto weights = twoPlaces(centres);
    const auto bic =
        fitMixture<2>(weights, centres, {.choice = ComponentChoice::Bic, .components = 4}).value();
    EXPECT_EQ(bic.components.size(), 2U);
    const auto dl =
        fitMixture<2>(weights, centres, {.choice = ComponentChoice::DescriptionLength, .components = 4})
            .value();
    EXPECT_EQ(dl.criterion, descriptionLength(dl.components.size(), dl.logLikelihood));
    for (std::size_t count = 1; count <= 4; ++count) {
        const auto fixed = fitMixture<2>(weights, centres, {.components = count}).value();
        EXPECT_LE(dl.criterion, fixed.criterion);
    }
}

TEST(Mixture, of_more_components_than_positions_with_weight_is_refused_with_both_numbers) {
    const auto centres = gridCentres(4, 4);
    std::vector<double> weights(16, 0.0);
    weights[5] = 1;
    weights[10] = 3;
    const auto refused = fitMixture<2>(weights, centres, {.components = 3});
    ASSERT_FALSE(refused);
    for (const char* part : {"3 components", "2 of 16"}) {
        EXPECT_NE(refused.error().message.find(part), std::string::npos) << refused.error().message;
    }
    const auto two = fitMixture<2>(weights, centres, {.components = 2}).value();
    ASSERT_EQ(two.components.size(), 2U);
    EXPECT_NEAR(two.components[0].weight, 0.75, 1e-9);
    EXPECT_LE((two.components[0].mean - centres[10]).norm(), 1e-9);
}

TEST(Mixture, a_chosen_number_stops_at_the_positions_with_weight) {
    const auto centres = gridCentres(4, 4);
    std::vector<double> weights(16, 0.0);
    weights[5] = 1;
    for (const auto choice : {ComponentChoice::Bic, ComponentChoice::DescriptionLength}) {
        const auto one = fitMixture<2>(weights, centres, {.choice = choice, .components = 8});
        ASSERT_TRUE(one) << one.error().message;
        ASSERT_EQ(one->components.size(), 1U);
        EXPECT_EQ(one->components[0].mean, centres[5]);
    }
    weights[10] = 3;
    for (const auto choice : {ComponentChoice::Bic, ComponentChoice::DescriptionLength}) {
        const auto two = fitMixture<2>(weights, centres, {.choice = choice, .components = 8});
        ASSERT_TRUE(two) << two.error().message;
        EXPECT_LE(two->components.size(), 2U);
    }
}

TEST(Mixture, over_a_line_finds_two_places_too) {
    std::vector<Eigen::Matrix<double, 1, 1>> places;
    std::vector<double> weights;
    for (int l = 0; l < 60; ++l) {
        const double x = (l + 0.5) / 60;
        places.emplace_back(x);
        weights.push_back(std::exp(-std::pow((x - 0.2) / 0.05, 2) / 2) +
                          2 * std::exp(-std::pow((x - 0.8) / 0.05, 2) / 2));
    }
    const auto fit = fitMixture<1>(weights, places, {.components = 2}).value();
    EXPECT_NEAR(fit.components[0].weight, 2.0 / 3, 1e-4);
    EXPECT_NEAR(fit.components[0].mean(0), 0.8, 1e-4);
    EXPECT_NEAR(fit.components[1].covariance(0, 0), 0.0025, 1e-5);
}

TEST(Mixture, options_and_weights_out_of_their_domain_are_refused) {
    const auto centres = gridCentres(2, 2);
    const std::vector<double> weights{1, 0, 0, 1};
    for (const std::size_t count : {0, 9, 1000})
        EXPECT_FALSE(fitMixture<2>(weights, centres, {.components = count}));
    EXPECT_FALSE(fitMixture<2>(weights, centres, {.iterations = 0}));
    for (const double floor : {0.0, -1.0, std::nan("")}) {
        EXPECT_FALSE(fitMixture<2>(weights, centres, {.covarianceFloor = floor}));
    }
    EXPECT_FALSE(fitMixture<2>(std::vector<double>{0, 0, 0, 0}, centres, {}));
    EXPECT_FALSE(fitMixture<2>(std::vector<double>{1, -1, 0, 0}, centres, {}));
    EXPECT_FALSE(fitMixture<2>(std::vector<double>{1, std::nan(""), 0, 0}, centres, {}));
    EXPECT_THROW(static_cast<void>(fitMixture<2>(std::vector<double>{1, 1}, centres, {})), PreconditionError);
}

// The reference.

template <int n>
std::vector<MixtureComponent<n>> componentsOf(const json& list) {
    std::vector<MixtureComponent<n>> components(list["weights"].size());
    for (std::size_t k = 0; k < components.size(); ++k) {
        components[k].weight = number(list["weights"][k]);
        for (int i = 0; i < n; ++i) {
            components[k].mean(i) = number(list["means"][k][i]);
            for (int j = 0; j < n; ++j) components[k].covariance(i, j) = number(list["covariances"][k][i][j]);
        }
    }
    return components;
}

template <int n>
void expectNear(const std::vector<MixtureComponent<n>>& found, const json& expected, const char* when) {
    const auto wanted = componentsOf<n>(expected);
    ASSERT_EQ(found.size(), wanted.size()) << when;
    for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_NEAR(found[k].weight, wanted[k].weight, 1e-10) << when;
        EXPECT_LE((found[k].mean - wanted[k].mean).norm(), 1e-10) << when;
        EXPECT_LE((found[k].covariance - wanted[k].covariance).norm(), 1e-10) << when;
    }
}

template <int n>
void follow(const json& entry, const std::vector<Eigen::Matrix<double, n, 1>>& places) {
    auto weights = numbers(entry["weights_discrete"], 0);
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) weight /= sum;
    const double floor = number(entry["covariance_floor"]);
    auto components = componentsOf<n>(entry["init"]);
    const auto likelihoods = numbers(entry["loglik"], 0);
    for (std::size_t i = 0; i < entry["iterations"].get<std::size_t>(); ++i) {
        const double before = expectationMaximisationStep<n>(weights, places, floor, components);
        EXPECT_NEAR(before, likelihoods[i], 1e-10) << "before step " << i;
        if (i == 0) expectNear<n>(components, entry["after_first"], "after the first step");
    }
    expectNear<n>(components, entry["final"], "after the last step");
    const double last = expectationMaximisationStep<n>(weights, places, floor, components);
    EXPECT_NEAR(last, likelihoods.back(), 1e-10);
    const double effective = number(entry["n_eff"]);
    const std::size_t count = entry["K"].get<std::size_t>();
    EXPECT_NEAR(descriptionLength(count, last), number(entry["criterion_dl"]), 1e-9);
    EXPECT_NEAR(bayesianCriterion(count, n, last, effective), number(entry["criterion_bic"]), 1e-8);
}

TEST(MixtureReference, steps_meet_the_exact_values) {
    const auto cases = test::referenceCases("mixture_em", "after_first");
    if (cases.empty()) GTEST_SKIP() << "no mixtures in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE("K " + entry["K"].dump() + " in " + entry["dim"].dump() + "D");
        if (entry["dim"] == 2) {
            follow<2>(entry, gridCentres(entry["rows"].get<std::size_t>(), entry["cols"].get<std::size_t>()));
            continue;
        }
        const auto length = entry["L"].get<std::size_t>();
        std::vector<Eigen::Matrix<double, 1, 1>> places;
        for (std::size_t l = 0; l < length; ++l)
            places.emplace_back(position(l, length, Positions::Midpoint));
        follow<1>(entry, places);
    }
}

}  // namespace
}  // namespace fovea
