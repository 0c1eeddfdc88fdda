// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "core/mechanism/continuous_2d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::referenceCases;

Eigen::Matrix2d matrixOf(const json& rows) {
    Eigen::Matrix2d matrix;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 2; ++j) matrix(i, j) = number(rows[i][j]);
    }
    return matrix;
}

Eigen::Vector2d vectorOf(const json& list) {
    return {number(list[0]), number(list[1])};
}

void expectClose(double found, double expected, const char* name) {
    EXPECT_NEAR(found, expected, 1e-12 * std::max(std::abs(expected), 1e-300)) << name;
}

void expectClose(std::optional<double> found, const json& expected, const char* name) {
    ASSERT_EQ(found.has_value(), !expected.is_null()) << name;
    if (found) expectClose(*found, number(expected), name);
}

/// Entries relative to the largest: a small one beside it keeps its absolute digits.
void expectClose(const Eigen::Matrix2d& found, const json& expected, const char* name) {
    const Eigen::Matrix2d wanted = matrixOf(expected);
    EXPECT_LE((found - wanted).cwiseAbs().maxCoeff(), 1e-12 * wanted.cwiseAbs().maxCoeff())
        << name << '\n' << found << "\nexpected\n" << wanted;
}

void expectAxes(const Ellipse& found, const json& expected, const char* name) {
    expectClose(found.major, number(expected[0]), name);
    expectClose(found.minor, number(expected[1]), name);
}

/// An axis has no direction: angles half a turn apart are the same.
void expectAngle(double found, double expected) {
    EXPECT_NEAR(std::remainder(found - expected, std::numbers::pi), 0, 1e-12);
    EXPECT_GT(found, -std::numbers::pi / 2);
    EXPECT_LE(found, std::numbers::pi / 2);
}

std::vector<json> densityCases() {
    return referenceCases("cases", "major_angle");
}

Density2d densityOf(const json& entry) {
    return Density2d::fromScale(vectorOf(entry["mu"]), matrixOf(entry["Sigma"]),
                                {number(entry["alpha"]), number(entry["temperature"])})
        .value();
}

TEST(Density2dReference, closed_forms_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 2D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const Density2d density = densityOf(entry);
        expectClose(density.radius(), entry["R"], "R");
        expectClose(density.lambda(), entry["lambda_"], "lambda");
        expectClose(density.peak(), number(entry["peak"]), "peak");
        expectClose(density.covariance(), entry["covariance"], "covariance");
        const auto support = density.support();
        ASSERT_EQ(support.has_value(), !entry["semi_axes"].is_null());
        if (support) {
            expectAxes(*support, entry["semi_axes"], "support");
            expectClose(*density.supportShape(), entry["support_shape"], "shape of the support");
        }
        expectAngle(density.region(0.5).angle, number(entry["major_angle"]));
        for (const char* name : {"shannon_entropy", "tsallis_entropy"}) {
            const double found =
                std::string(name) == "shannon_entropy" ? density.shannonEntropy() : density.tsallisEntropy();
            EXPECT_NEAR(found, number(entry[name]), 1e-12 * std::max(1.0, std::abs(number(entry[name]))))
                << name;
        }
    }
}

TEST(Density2dReference, masses_outside_the_unit_square_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 2D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        EXPECT_NEAR(densityOf(entry).massOutsideUnit(), number(entry["mass_outside_unit"]), 1e-13);
    }
}

TEST(Density2dReference, values_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 2D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const Density2d density = densityOf(entry);
        for (std::size_t i = 0; i < entry["x"].size(); ++i) {
            EXPECT_NEAR(density(vectorOf(entry["x"][i])), number(entry["pdf"][i]),
                        1e-12 * number(entry["peak"]))
                << entry["x"][i];
        }
    }
}

TEST(Density2dReference, regions_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 2D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const Density2d density = densityOf(entry);
        ASSERT_EQ(entry["q_levels"].size(), entry["q_semi_axes"].size());
        for (std::size_t i = 0; i < entry["q_levels"].size(); ++i) {
            expectAxes(density.region(number(entry["q_levels"][i])), entry["q_semi_axes"][i], "region");
        }
    }
}

TEST(Density2dReference, both_moment_matchings_meet_the_exact_values) {
    const auto cases = referenceCases("moment_matching", "covariance_paper");
    if (cases.empty()) GTEST_SKIP() << "no 2D moment matching in the reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const Moments2d moments{{0.5, 0.5}, matrixOf(entry["covariance"])};
        const DensityParameters parameters{number(entry["alpha"]), 1};
        const auto matched = Density2d::fromMoments(moments, MomentMatching::Moments, parameters);
        const auto paper = Density2d::fromMoments(moments, MomentMatching::Paper, parameters);
        ASSERT_TRUE(matched && paper);
        expectClose(matched->covariance(), entry["covariance"], "matched covariance");
        expectClose(matched->scale(), entry["Sigma_matched"], "matched scale");
        expectClose(paper->scale(), entry["covariance"], "scale as in the paper");
        expectClose(paper->covariance(), entry["covariance_paper"], "covariance as in the paper");
        ASSERT_EQ(matched->support().has_value(), !entry["semi_axes_matched"].is_null());
        if (!matched->support()) continue;
        expectAxes(*matched->support(), entry["semi_axes_matched"], "matched support");
        expectAxes(*paper->support(), entry["semi_axes_paper"], "support as in the paper");
    }
}

}  // namespace
}  // namespace fovea
