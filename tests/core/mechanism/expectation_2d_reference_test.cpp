// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "core/mechanism/expectation_2d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::referenceCases;

Eigen::Vector2d vectorOf(const json& list) {
    return {number(list[0]), number(list[1])};
}

Eigen::Matrix2d matrixOf(const json& rows) {
    Eigen::Matrix2d matrix;
    matrix << number(rows[0][0]), number(rows[0][1]), number(rows[1][0]), number(rows[1][1]);
    return matrix;
}

std::vector<RadialBasis2d> basesOf(const json& list) {
    std::vector<RadialBasis2d> bases;
    for (const auto& rbf : list) {
        Eigen::Matrix2d covariance;
        covariance << number(rbf[2]), number(rbf[3]), number(rbf[3]), number(rbf[4]);
        bases.push_back(RadialBasis2d::make({number(rbf[0]), number(rbf[1])}, covariance).value());
    }
    return bases;
}

/// 1e-11 of the size of the number and of E[psi].
void expectClose(double found, double expected, double value, const char* name) {
    EXPECT_NEAR(found, expected, 1e-11 * (std::abs(expected) + value)) << name;
}

void expectClose(const Eigen::Matrix2d& found, const json& expected, double value, const char* name) {
    if (expected.is_null()) return;
    const Eigen::Matrix2d wanted = matrixOf(expected);
    for (int i = 0; i < 4; ++i) expectClose(found(i / 2, i % 2), wanted(i / 2, i % 2), value, name);
}

TEST(Expectation2dReference, values_and_derivatives_meet_the_exact_ones) {
    const auto cases = referenceCases("cases", "dE_dcovariance");
    int used = 0;
    for (const auto& entry : cases) {
        if (!entry["mu"].is_array()) continue;  // of one dimension
        ++used;
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const double temperature = number(entry["temperature"]);
        const auto density = Density2d::fromScale(vectorOf(entry["mu"]), matrixOf(entry["Sigma"]),
                                                  {number(entry["alpha"]), temperature});
        ASSERT_TRUE(density) << density.error().message;
        const auto bases = basesOf(entry["rbf"]);
        std::vector<Expectation2d> found(bases.size());
        expectations(*density, bases, found);
        for (std::size_t j = 0; j < bases.size(); ++j) {
            const double value = number(entry["E_psi"][j]);
            expectClose(found[j].value, value, value, "E[psi]");
            const Eigen::Vector2d byMean = vectorOf(entry["dE_dmu"][j]);
            for (int i = 0; i < 2; ++i) expectClose(found[j].byMean(i), byMean(i), value, "by the mean");
            expectClose(temperature * found[j].byScale, entry["dE_dSigma"][j], value, "by Sigma");
            expectClose(found[j].byCovariance, entry["dE_dcovariance"][j], value, "by the covariance");
            if (entry["dE_dtemperature"][j].is_null()) continue;
            expectClose(found[j].byLogTemperature / temperature, number(entry["dE_dtemperature"][j]), value,
                        "by the temperature");
        }
    }
    if (used == 0) GTEST_SKIP() << "no 2D expectations in the reference";
}

}  // namespace
}  // namespace fovea
