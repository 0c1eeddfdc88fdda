// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/gauss_jacobi.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <thread>
#include <vector>

#include "core/support/precondition.h"

namespace fovea {
namespace {

struct Weight {
    double p, r;
};

const std::vector<Weight> weights = {{0, 0},     {0.5, 0.5}, {-0.5, -0.5}, {8, 0},   {0, 8},    {0.1, 3},
                                     {-0.9, 3.3}, {40, 40},   {1000, 0},    {0, 9000}, {1e6, 1e6}};

/// The mean of ((1 + x)/2)^k under (1-x)^p (1+x)^r: a ratio of beta functions, as a product.
double exactMoment(int k, double p, double r) {
    double moment = 1;
    for (int i = 0; i < k; ++i) moment *= (r + 1 + i) / (p + r + 2 + i);
    return moment;
}

double power(double x, int k) {
    return std::pow(x / 2, k);
}

TEST(GaussJacobi, integrates_polynomials_of_degree_below_twice_its_size_exactly) {
    for (const auto& [p, r] : weights) {
        for (const std::size_t count : {1, 2, 3, 8, 33, 64, 128}) {
            SCOPED_TRACE(testing::Message() << count << " nodes, p " << p << ", r " << r);
            const auto rule = gaussJacobi(count, p, r);
            ASSERT_EQ(rule->nodes.size(), count);
            for (int k = 0; k < 2 * static_cast<int>(count); k = k < 4 ? k + 1 : 2 * k - 1) {
                if (exactMoment(k, r, p) < 1e-290) continue;
                double fromLower = 0, fromUpper = 0;
                for (std::size_t i = 0; i < count; ++i) {
                    fromLower += rule->weights[i] * power(rule->toLower[i], k);
                    fromUpper += rule->weights[i] * power(rule->toUpper[i], k);
                }
                EXPECT_NEAR(fromLower / exactMoment(k, p, r), 1, 2e-14) << "degree " << k;
                EXPECT_NEAR(fromUpper / exactMoment(k, r, p), 1, 2e-14) << "degree " << k;
            }
        }
    }
}

TEST(GaussJacobi, does_not_integrate_the_next_degree) {
    // The square of the polynomial that vanishes at the nodes.
    const auto rule = gaussJacobi(3, 0, 0);
    double sixth = 0;
    for (std::size_t i = 0; i < 3; ++i) sixth += rule->weights[i] * std::pow(rule->nodes[i], 6);
    EXPECT_GT(std::abs(sixth - 1.0 / 7), 1e-3);
}

TEST(GaussJacobi, nodes_ascend_inside_and_agree_with_their_distances) {
    for (const auto& [p, r] : weights) {
        const auto rule = gaussJacobi(64, p, r);
        EXPECT_NEAR(std::accumulate(rule->weights.begin(), rule->weights.end(), 0.0), 1, 1e-15);
        for (std::size_t i = 0; i < 64; ++i) {
            EXPECT_GT(rule->toLower[i], 0);
            EXPECT_GT(rule->toUpper[i], 0);
            EXPECT_GE(rule->weights[i], 0);
            EXPECT_EQ(rule->toLower[i] + rule->toUpper[i], 2);
            EXPECT_NEAR(rule->nodes[i], 1 - rule->toUpper[i], 3e-16);
            EXPECT_GT(rule->toLower[i], i > 0 ? rule->toLower[i - 1] : 0);
        }
    }
}

TEST(GaussJacobi, mirrors_when_the_exponents_change_places) {
    for (const auto& [p, r] : weights) {
        const auto rule = gaussJacobi(48, p, r), mirrored = gaussJacobi(48, r, p);
        for (std::size_t i = 0; i < 48; ++i) {
            EXPECT_NEAR(rule->toLower[i] / mirrored->toUpper[47 - i], 1, 1e-14);
            EXPECT_NEAR(rule->weights[i], mirrored->weights[47 - i], 1e-15);
        }
    }
}

TEST(GaussJacobi, meets_closed_forms) {
    const auto chebyshev = gaussJacobi(64, -0.5, -0.5);
    for (std::size_t i = 0; i < 64; ++i) {
        const double half = (static_cast<double>(i) + 0.5) * M_PI / 128;
        EXPECT_NEAR(chebyshev->toLower[i] / (2 * std::sin(half) * std::sin(half)), 1, 1e-13);
        EXPECT_NEAR(chebyshev->weights[i] * 64, 1, 1e-13);
    }
    const auto legendre = gaussJacobi(2, 0, 0);
    EXPECT_NEAR(legendre->nodes[1], 1 / std::sqrt(3), 3e-16);
}

TEST(GaussJacobi, many_threads_get_one_and_the_same_rule) {
    std::vector<double> sums(8);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < sums.size(); ++t) {
        threads.emplace_back([&, t] {
            for (int round = 0; round < 200; ++round) {
                const auto rule = gaussJacobi(16, 0.01 * (round % 90), 0.5);
                sums[t] += rule->nodes[3];
            }
        });
    }
    for (auto& thread : threads) thread.join();
    for (const double sum : sums) EXPECT_EQ(sum, sums[0]);
    // A rule in use outlives its place in the cache.
    const auto kept = gaussJacobi(5, 0.25, 0.75);
    for (int i = 0; i < 500; ++i) gaussJacobi(3, i, 0);
    EXPECT_EQ(kept->nodes, gaussJacobi(5, 0.25, 0.75)->nodes);
}

TEST(GaussJacobi, exponents_without_an_integral_are_a_broken_promise) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    EXPECT_THROW(gaussJacobi(0, 0, 0), PreconditionError);
    for (const double bad : {-1.0, -2.0, infinity, std::nan("")}) {
        EXPECT_THROW(gaussJacobi(4, bad, 0), PreconditionError);
        EXPECT_THROW(gaussJacobi(4, 0, bad), PreconditionError);
    }
}

}  // namespace
}  // namespace fovea
