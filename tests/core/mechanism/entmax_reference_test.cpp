// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>
#include <limits>

#include "core/mechanism/entmax.h"
#include "tests/core/mechanism/reference_files.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

using test::number;
using test::numbers;
using test::referenceCases;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

using test::Solved;
using test::solve;

double largestScaled(const std::vector<double>& scores, double temperature) {
    double largest = 0;
    for (const double score : scores) {
        if (std::isfinite(score)) largest = std::max(largest, std::abs(score / temperature));
    }
    return largest;
}

TEST(EntmaxReference, weights_and_their_row_meet_the_exact_values) {
    const auto cases = referenceCases("cases", "offset_s");
    if (cases.empty()) GTEST_SKIP() << "no entmax reference";
    std::size_t supportsCompared = 0;
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const EntmaxParameters parameters{number(entry["alpha"]), number(entry["temperature"])};
        const auto scores = numbers(entry["z"], -infinity);
        const auto solved = solve(scores, parameters);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            EXPECT_NEAR(solved.weights[i], number(entry["p"][i]), 1e-14) << "key " << i;
            if (scores[i] == -infinity) { EXPECT_EQ(solved.weights[i], 0); }
        }
        const double offset = number(entry["offset_s"]);
        EXPECT_NEAR(solved.row.offset, offset, 1e-14 * (1 + offset));
        const double tolerance =
            8 * epsilon * (1 + parameters.alpha) * (1 + largestScaled(scores, parameters.temperature));
        EXPECT_NEAR(solved.row.normalizer, number(entry["normalizer_A"]), tolerance);
        if (entry["threshold_t"].is_null()) {
            EXPECT_TRUE(std::isnan(solved.row.threshold));
        } else {
            EXPECT_NEAR(solved.row.threshold, number(entry["threshold_t"]), tolerance);
        }
        if (entry["support_margin"].is_null() || number(entry["support_margin"]) > 1e-12) {
            EXPECT_EQ(solved.row.support, entry["support_size"].get<std::size_t>());
            ++supportsCompared;
        }
    }
    std::cout << cases.size() << " rows, " << supportsCompared << " of them with a support to compare\n";
}

TEST(EntmaxReference, special_inputs_give_the_stated_weights) {
    const auto cases = referenceCases("edge_cases", "temperature");
    if (cases.empty()) GTEST_SKIP() << "no edge cases in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["name"].dump());
        const auto scores = numbers(entry["z"], -infinity);
        const auto solved = solve(scores, {number(entry["alpha"]), number(entry["temperature"])});
        const auto expected = numbers(entry["p"], 0);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (std::isnan(expected[i])) {
                EXPECT_TRUE(std::isnan(solved.weights[i]));
                EXPECT_EQ(solved.row.state, RowState::Invalid);
            } else {
                EXPECT_NEAR(solved.weights[i], expected[i], 1e-15);
            }
        }
    }
}

TEST(EntmaxReference, scores_are_recovered_from_weights) {
    const auto cases = referenceCases("inversion", "z_minus_max");
    if (cases.empty()) GTEST_SKIP() << "no inversions in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const EntmaxParameters parameters{number(entry["alpha"]), number(entry["temperature"])};
        const auto weights = numbers(entry["p"], 0);
        const auto expected = numbers(entry["z_minus_max"], -infinity);
        std::vector<double> scores(weights.size());
        scoresFromWeights(weights, parameters, scores);
        for (std::size_t i = 0; i < scores.size(); ++i) {
            if (expected[i] == -infinity) {
                EXPECT_EQ(scores[i], -infinity);
            } else {
                EXPECT_NEAR(scores[i], expected[i], 1e-13 * (1 + std::abs(expected[i])));
            }
        }
    }
}

}  // namespace
}  // namespace fovea
