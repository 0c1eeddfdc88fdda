// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/session/interval.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fovea::session {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

MechanismChoice choiceOf(double alpha, double temperature = 1, VarianceFloor floor = VarianceFloor::Cell) {
    MechanismChoice choice;
    choice.domain = Domain::Continuous;
    choice.density = {alpha, temperature};
    choice.floor = floor;
    return choice;
}

std::vector<double> bump(std::size_t length, double centre, double width) {
    std::vector<double> weights(length);
    for (std::size_t l = 0; l < length; ++l) {
        const double d = (static_cast<double>(l) - centre) / width;
        weights[l] = std::exp(-d * d / 2);
    }
    return weights;
}

TEST(Interval, masses_of_tokens_and_outside_sum_to_one) {
    for (const double alpha : {1.0, 1.0001, 1.25, 1.5, 2.0, 4.0, infinity}) {
        for (const double centre : {0.0, 3.3, 16.0}) {
            const auto density = densityOverText(bump(17, centre, 2.5), choiceOf(alpha, 1.0));
            ASSERT_TRUE(density) << density.error().message;
            const auto masses = massOfTokens(*density, 17);
            const double sum = std::accumulate(masses.begin(), masses.end(), 0.0);
            EXPECT_NEAR(sum, 1 - density->massOutsideUnit(), 1e-12) << alpha << ' ' << centre;
            for (const double mass : masses) EXPECT_GE(mass, 0.0);
        }
    }
}

TEST(Interval, far_tails_of_a_gaussian_keep_their_digits_on_both_sides) {
    const auto density = Density1d::fromScale(0.5, 2e-4, {});
    const auto masses = massOfTokens(*density, 20);
    for (std::size_t l = 0; l < 10; ++l) {
        EXPECT_GT(masses[l], 0.0);
        EXPECT_NEAR(masses[l] / masses[19 - l], 1.0, 1e-9);
    }
    // 32 to 35 standard deviations away: a difference from 1 would be 0.
    EXPECT_LT(masses[19], 1e-190);
}

TEST(Interval, tokens_are_the_unit_interval_times_their_number) {
    const auto density = densityOverText(bump(12, 4, 2), choiceOf(2));
    const auto interval = describeInterval(*density, 12);
    EXPECT_DOUBLE_EQ(interval.mean, density->mean() * 12);
    EXPECT_DOUBLE_EQ(interval.variance, density->variance() * 144);
    EXPECT_DOUBLE_EQ(interval.scale, density->scale() * 144);
    EXPECT_DOUBLE_EQ(interval.peak, density->peak() / 12);
    EXPECT_TRUE(interval.bounded);
    EXPECT_EQ(interval.shownMass, 1.0);
    EXPECT_DOUBLE_EQ(interval.shown.low, density->support()->low * 12);
    EXPECT_DOUBLE_EQ(interval.shown.high, density->support()->high * 12);
    EXPECT_DOUBLE_EQ(interval.half.low, density->region(0.5).low * 12);
    EXPECT_DOUBLE_EQ(interval.shannonEntropy, density->shannonEntropy() + std::log(12.0));
}

TEST(Interval, gaussian_shows_the_region_of_nine_tenths) {
    const auto density = densityOverText(bump(12, 4, 2), choiceOf(1));
    const auto interval = describeInterval(*density, 12);
    EXPECT_FALSE(interval.bounded);
    EXPECT_EQ(interval.shownMass, 0.9);
    EXPECT_DOUBLE_EQ(interval.shown.high, density->region(0.9).high * 12);
}

TEST(Interval, weights_on_one_token_stand_in_its_middle) {
    std::vector<double> weights(5, 0.0);
    weights[3] = 1;
    const auto interval = describeInterval(*densityOverText(weights, choiceOf(2)), 5);
    EXPECT_DOUBLE_EQ(interval.mean, 3.5);
    EXPECT_NEAR(interval.variance, 1.0 / 12, 1e-15);
}

TEST(Interval, samples_ascend_over_the_text_and_hold_its_marks) {
    const auto density = densityOverText(bump(40, 20, 3), choiceOf(2));
    const auto interval = describeInterval(*density, 40);
    const auto& samples = interval.samples;
    const auto has = [&](double x) {
        return std::any_of(samples.begin(), samples.end(), [&](const DensitySample& s) { return s.x == x; });
    };
    EXPECT_TRUE(std::is_sorted(samples.begin(), samples.end(),
                               [](const auto& a, const auto& b) { return a.x < b.x; }));
    EXPECT_EQ(samples.front().x, 0.0);
    EXPECT_EQ(samples.back().x, 40.0);
    EXPECT_TRUE(has(interval.shown.low));
    EXPECT_TRUE(has(interval.shown.high));
    EXPECT_TRUE(has(interval.mean));
    double area = 0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        area += (samples[i].x - samples[i - 1].x) * (samples[i].value + samples[i - 1].value) / 2;
    }
    EXPECT_NEAR(area, 1.0, 1e-3);
}

TEST(Interval, curve_is_zero_at_the_ends_of_its_support) {
    for (const double alpha : {1.5, 2.0, 10.0}) {
        const auto interval = describeInterval(*densityOverText(bump(40, 20, 3), choiceOf(alpha)), 40);
        for (const DensitySample& sample : interval.samples) {
            const bool inside = sample.x > interval.shown.low && sample.x < interval.shown.high;
            EXPECT_EQ(sample.value > 0, inside) << alpha << ' ' << sample.x;
        }
    }
}

TEST(Interval, long_texts_are_sampled_within_bounds) {
    const auto interval = describeInterval(*densityOverText(bump(32000, 100, 4), choiceOf(2)), 32000);
    EXPECT_LE(interval.samples.size(), 8100U);
    const auto highest = std::max_element(interval.samples.begin(), interval.samples.end(),
                                          [](const auto& a, const auto& b) { return a.value < b.value; });
    EXPECT_NEAR(highest->value, interval.peak, 1e-3 * interval.peak);
}

TEST(Interval, zero_variance_without_a_floor_is_refused_with_a_way_out) {
    const auto density = densityOverText(std::vector<double>{0, 1, 0}, choiceOf(2, 1, VarianceFloor::None));
    ASSERT_FALSE(density);
    EXPECT_NE(density.error().message.find("cell"), std::string::npos);
}

TEST(Interval, weights_without_a_sum_are_refused) {
    EXPECT_FALSE(densityOverText(std::vector<double>{0, 0}, choiceOf(2)));
}

TEST(Interval, a_mixture_is_the_weighted_sum_of_its_components) {
    auto weights = bump(30, 6, 1.5);
    const auto second = bump(30, 22, 2.5);
    for (std::size_t l = 0; l < 30; ++l) weights[l] += 0.5 * second[l];
    for (const double alpha : {1.0, 1.5, 2.0}) {
        MechanismChoice choice = choiceOf(alpha);
        choice.domain = Domain::Mixture;
        choice.mixture.components = 2;
        const auto parts = densitiesOverText(weights, choice);
        ASSERT_TRUE(parts) << parts.error().message;
        ASSERT_EQ(parts->size(), 2U);
        const auto whole = describeInterval(*parts, 30);
        for (const auto& [x, value] : whole.samples) {
            double sum = 0;
            for (const auto& part : *parts) sum += part.weight * part.density(x / 30) / 30;
            EXPECT_NEAR(value, sum, 1e-6 * whole.peak) << x;
        }
        const auto masses = massOfTokens(*parts, 30);
        const double inside = std::accumulate(masses.begin(), masses.end(), 0.0);
        EXPECT_NEAR(inside + whole.massOutside, 1, 1e-12);
        double below = 0;
        for (const auto& part : *parts) below += part.weight * part.density.cdf(whole.half.low / 30);
        EXPECT_NEAR(below, 0.25, 1e-12);
        EXPECT_EQ(whole.bounded, alpha > 1);
        EXPECT_TRUE(std::isnan(whole.scale));
    }
}

TEST(Interval, a_mixture_of_one_is_that_density) {
    const auto density = densityOverText(bump(12, 4, 2), choiceOf(2));
    const std::vector<WeightedDensity> one{{1.0, *density}};
    const auto found = describeInterval(one, 12);
    const auto expected = describeInterval(*density, 12);
    EXPECT_EQ(found.mean, expected.mean);
    EXPECT_EQ(found.scale, expected.scale);
    EXPECT_EQ(found.half.low, expected.half.low);
    EXPECT_EQ(found.samples.size(), expected.samples.size());
}

}  // namespace
}  // namespace fovea::session
