// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>

#include "core/mechanism/entmax_gradient.h"
#include "tests/core/mechanism/reference_files.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

using test::number;
using test::numbers;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The largest error of one kind over all cases, relative to what a case allows.
struct Worst {
    double share = 0;

    void compare(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
        ASSERT_EQ(found.size(), expected.size());
        double scale = 1;
        for (const double value : expected) scale = std::max(scale, std::abs(value));
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found[i], expected[i], tolerance * scale) << "entry " << i;
            share = std::max(share, std::abs(found[i] - expected[i]) / (tolerance * scale));
        }
    }
};

/// 1e-13; where alpha > 2 the largest s may hide the others by as much as s_ratio.
double toleranceOf(const nlohmann::json& entry) {
    return 1e-13 * (number(entry["alpha"]) > 2 ? number(entry["s_ratio"]) : 1.0);
}

struct Case {
    explicit Case(const nlohmann::json& entry)
        : parameters{number(entry["alpha"]), number(entry["temperature"])},
          scores(numbers(entry["z"], -infinity)),
          weights(test::solve(scores, parameters).weights),
          tolerance(toleranceOf(entry)) {}

    EntmaxPoint<double> point() const { return {scores, weights, parameters}; }

    EntmaxParameters parameters;
    std::vector<double> scores;
    std::vector<double> weights;
    double tolerance;
};

std::vector<double> productWith(const Case& at, const std::vector<double>& direction) {
    std::vector<double> product(direction.size());
    entmaxJacobianProduct(at.point(), direction, product);
    return product;
}

TEST(EntmaxGradientReference, derivatives_meet_the_exact_values) {
    const auto cases = test::referenceCases("cases", "dp_dalpha");
    if (cases.empty()) GTEST_SKIP() << "no reference of entmax gradients";
    Worst byScores, byTangent, byAlpha, byTemperature, summed;
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const Case at(entry);
        const auto upstream = numbers(entry["v"], 0);
        std::vector<double> found(upstream.size());
        const auto gradient = entmaxGradient(at.point(), upstream, found);
        byScores.compare(found, numbers(entry["grad_z"], 0), at.tolerance);
        EXPECT_EQ(productWith(at, upstream), found);
        byTangent.compare(productWith(at, numbers(entry["u"], 0)), numbers(entry["jvp_u"], 0), at.tolerance);
        entmaxByAlpha(at.point(), found);
        byAlpha.compare(found, numbers(entry["dp_dalpha"], 0), at.tolerance);
        entmaxByTemperature(at.point(), found);
        byTemperature.compare(found, numbers(entry["dp_dtemperature"], 0), at.tolerance);
        summed.compare({gradient.alpha}, {number(entry["grad_alpha"])}, at.tolerance);
        summed.compare({gradient.temperature}, {number(entry["grad_temperature"])}, at.tolerance);
    }
    std::cout << cases.size() << " rows; largest errors as shares of what is allowed: by scores "
              << byScores.share << ", tangents " << byTangent.share << ", by alpha " << byAlpha.share
              << ", by temperature " << byTemperature.share << ", of sums " << summed.share << "\n";
}

TEST(EntmaxGradientReference, products_with_unit_vectors_are_the_columns_of_the_jacobian) {
    const auto cases = test::referenceCases("cases", "jacobian");
    if (cases.empty()) GTEST_SKIP() << "no reference of Jacobians";
    Worst worst;
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const Case at(entry);
        for (std::size_t j = 0; j < at.scores.size(); ++j) {
            std::vector<double> unit(at.scores.size());
            unit[j] = 1;
            std::vector<double> column;
            for (const auto& row : entry["jacobian"]) column.push_back(number(row[j]));
            worst.compare(productWith(at, unit), column, at.tolerance);
        }
    }
    std::cout << cases.size() << " Jacobians; largest error as a share of what is allowed: " << worst.share
              << "\n";
}

}  // namespace
}  // namespace fovea
