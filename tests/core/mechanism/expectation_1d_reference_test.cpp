// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/mechanism/expectation_1d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::numbers;
using test::referenceCases;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Files of one dimension give a basis function as (centre, deviation).
bool ofOneDimension(const json& entry) {
    return entry["mu"].is_number() && entry.contains("rbf") && entry["rbf"][0].size() == 2;
}

/// The cases of `section` with `key`, each with the basis of its file.
std::vector<json> casesWith(const std::string& section, const std::string& key) {
    std::vector<json> cases;
    for (const auto& entry : referenceCases(section, key)) {
        if (ofOneDimension(entry)) cases.push_back(entry);
    }
    return cases;
}

std::vector<Expectation1d> found(const json& entry, const Density1d& density, std::size_t count) {
    std::vector<RadialBasis1d> bases;
    for (std::size_t j = 0; j < count; ++j) {
        bases.push_back({number(entry["rbf"][j][0]), number(entry["rbf"][j][1])});
    }
    std::vector<Expectation1d> results(count);
    expectations(density, bases, results);
    return results;
}

TEST(Expectation1dReference, values_and_gradients_meet_the_exact_values) {
    const auto cases = casesWith("cases", "dE_dmu");
    if (cases.empty()) GTEST_SKIP() << "no expectations of one dimension in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const double sigma2 = number(entry["sigma2"]), temperature = number(entry["temperature"]);
        const auto density =
            Density1d::fromScale(number(entry["mu"]), sigma2, {number(entry["alpha"]), temperature});
        ASSERT_TRUE(density) << density.error().message;
        const auto results = found(entry, *density, entry["E_psi"].size());
        for (std::size_t j = 0; j < results.size(); ++j) {
            const double s = number(entry["rbf"][j][1]), a = density->length();
            const double value = 1e-11 / (s * std::sqrt(2 * M_PI)), slope = value / s;
            EXPECT_NEAR(results[j].value, number(entry["E_psi"][j]), value) << j;
            EXPECT_NEAR(results[j].byMean, number(entry["dE_dmu"][j]), slope) << j;
            EXPECT_NEAR(results[j].byScale, number(entry["dE_dsigma2"][j]), slope * a / sigma2) << j;
            EXPECT_NEAR(results[j].byTemperature, number(entry["dE_dtemperature"][j]),
                        slope * a / temperature)
                << j;
            EXPECT_NEAR(results[j].byVariance, number(entry["dE_dvariance"][j]),
                        slope * a / density->variance())
                << j;
        }
    }
}

TEST(Expectation1dReference, the_uniform_density_meets_the_exact_values) {
    std::size_t compared = 0;
    for (const auto& entry : casesWith("uniform_limit", "E_psi")) {
        const auto density = Density1d::fromMoments({number(entry["mu"]), number(entry["variance"])},
                                                    MomentMatching::Moments, {infinity, 1});
        ASSERT_TRUE(density);
        const auto results = found(entry, *density, entry["E_psi"].size());
        for (std::size_t j = 0; j < results.size(); ++j) {
            const double peak = 1 / (number(entry["rbf"][j][1]) * std::sqrt(2 * M_PI));
            EXPECT_NEAR(results[j].value, number(entry["E_psi"][j]), 1e-11 * peak) << j;
            ++compared;
        }
    }
    if (compared == 0) GTEST_SKIP() << "no uniform limit in the reference";
}

TEST(Expectation1dReference, heavy_tails_meet_the_exact_values) {
    std::size_t compared = 0;
    for (const auto& entry : casesWith("heavy_tailed", "E_psi_first4")) {
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const auto density = Density1d::fromScale(number(entry["mu"]), number(entry["sigma2"]),
                                                  {number(entry["alpha"]), number(entry["temperature"])});
        ASSERT_TRUE(density) << density.error().message;
        const auto expected = numbers(entry["E_psi_first4"], nan);
        const auto results = found(entry, *density, expected.size());
        for (std::size_t j = 0; j < results.size(); ++j) {
            EXPECT_NEAR(results[j].value / expected[j], 1, 1e-12) << j;
            ++compared;
        }
    }
    if (compared == 0) GTEST_SKIP() << "no heavy tails of one dimension in the reference";
}

}  // namespace
}  // namespace fovea
