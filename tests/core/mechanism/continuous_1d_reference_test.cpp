// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/mechanism/continuous_1d.h"
#include "tests/core/mechanism/reference_files.h"

namespace fovea {
namespace {

using nlohmann::json;
using test::number;
using test::referenceCases;

constexpr double infinity = std::numeric_limits<double>::infinity();

void expectClose(double found, const json& expected, const char* name, double tolerance = 1e-12) {
    EXPECT_NEAR(found, number(expected), tolerance * std::abs(number(expected))) << name;
}

void expectClose(std::optional<double> found, const json& expected, const char* name) {
    ASSERT_EQ(found.has_value(), !expected.is_null()) << name;
    if (found) expectClose(*found, expected, name);
}

/// Entropies cancel by nature where a density is nearly Gaussian.
double entropyTolerance(double alpha, double entropy) {
    return (alpha < 1.1 ? 1e-11 : 1e-12) * std::max(1.0, std::abs(entropy));
}

/// References of one dimension have a half_width, those of two have axes.
std::vector<json> densityCases() {
    std::vector<json> cases;
    for (const auto& entry : referenceCases("cases", "half_width")) {
        if (entry.contains("cdf")) cases.push_back(entry);
    }
    return cases;
}

TEST(Density1dReference, closed_forms_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 1D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const double alpha = number(entry["alpha"]);
        const auto density = Density1d::fromScale(number(entry["mu"]), number(entry["sigma2"]),
                                                  {alpha, number(entry["temperature"])});
        ASSERT_TRUE(density) << density.error().message;
        expectClose(density->radius(), entry["R"], "R");
        expectClose(density->lambda(), entry["lambda_"], "lambda");
        expectClose(density->halfWidth(), entry["half_width"], "half-width");
        expectClose(density->variance(), entry["variance"], "variance");
        expectClose(density->peak(), entry["peak"], "peak");
        const double shannon = number(entry["shannon_entropy"]);
        EXPECT_NEAR(density->shannonEntropy(), shannon, entropyTolerance(alpha, shannon));
        const double tsallis = number(entry["tsallis_entropy"]);
        EXPECT_NEAR(density->tsallisEntropy(), tsallis, entropyTolerance(alpha, tsallis));
        EXPECT_NEAR(density->massOutsideUnit(), number(entry["mass_outside_unit"]), 1e-12);
        const auto support = density->support();
        ASSERT_EQ(support.has_value(), !entry["support"].is_null());
        if (support) {
            EXPECT_NEAR(support->low, number(entry["support"][0]), 1e-12);
            EXPECT_NEAR(support->high, number(entry["support"][1]), 1e-12);
        }
    }
}

TEST(Density1dReference, curves_meet_the_exact_values) {
    const auto cases = densityCases();
    if (cases.empty()) GTEST_SKIP() << "no 1D density reference";
    for (const auto& entry : cases) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const auto density = Density1d::fromScale(number(entry["mu"]), number(entry["sigma2"]),
                                                  {number(entry["alpha"]), number(entry["temperature"])});
        ASSERT_TRUE(density) << density.error().message;
        for (std::size_t i = 0; i < entry["x"].size(); ++i) {
            const double x = number(entry["x"][i]);
            EXPECT_NEAR((*density)(x), number(entry["pdf"][i]), 1e-11 * number(entry["peak"])) << "x " << x;
            EXPECT_NEAR(density->cdf(x), number(entry["cdf"][i]), 1e-12) << "x " << x;
        }
    }
}

TEST(Density1dReference, regions_meet_the_exact_values) {
    std::size_t compared = 0;
    for (const auto& entry : densityCases()) {
        SCOPED_TRACE(entry["id"].dump() + " alpha " + entry["alpha"].dump());
        const auto density = Density1d::fromScale(number(entry["mu"]), number(entry["sigma2"]),
                                                  {number(entry["alpha"]), number(entry["temperature"])});
        ASSERT_TRUE(density) << density.error().message;
        const auto levels = entry["q_levels"];
        ASSERT_EQ(levels.size(), entry["q_half_width"].size());
        for (std::size_t i = 0; i < levels.size(); ++i) {
            expectClose(density->regionHalfWidth(number(levels[i])), entry["q_half_width"][i], "region");
            ++compared;
        }
    }
    if (compared == 0) GTEST_SKIP() << "no regions in the reference";
}

TEST(Density1dReference, both_moment_matchings_meet_the_exact_values) {
    const auto cases = referenceCases("moment_matching", "variance_paper");
    std::size_t compared = 0;
    for (const auto& entry : cases) {
        if (!entry.contains("half_width_matched")) continue;
        SCOPED_TRACE("alpha " + entry["alpha"].dump());
        const Moments1d moments{0.5, number(entry["variance"])};
        const DensityParameters parameters{number(entry["alpha"]), 1};
        const auto matched = Density1d::fromMoments(moments, MomentMatching::Moments, parameters);
        const auto paper = Density1d::fromMoments(moments, MomentMatching::Paper, parameters);
        ASSERT_TRUE(matched && paper);
        expectClose(matched->variance(), entry["variance"], "matched variance");
        expectClose(matched->scale(), entry["sigma2_matched"], "matched scale");
        expectClose(matched->halfWidth(), entry["half_width_matched"], "matched half-width");
        expectClose(paper->scale(), entry["sigma2_paper"], "scale as in the paper");
        expectClose(paper->halfWidth(), entry["half_width_paper"], "half-width as in the paper");
        expectClose(paper->variance(), entry["variance_paper"], "variance as in the paper");
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no moment matching in the reference";
}

TEST(Density1dReference, at_infinite_alpha_the_density_is_uniform) {
    std::size_t compared = 0;
    for (const auto& entry : referenceCases("uniform_limit", "half_width")) {
        if (!entry["half_width"].is_number()) continue;
        const auto density = Density1d::fromMoments({number(entry["mu"]), number(entry["variance"])},
                                                    MomentMatching::Moments, {infinity, 1});
        ASSERT_TRUE(density);
        expectClose(density->halfWidth(), entry["half_width"], "half-width");
        expectClose(density->peak(), entry["peak"], "peak");
        expectClose((*density)(density->mean() + *density->halfWidth() / 3), entry["peak"], "density");
        ++compared;
    }
    if (compared == 0) GTEST_SKIP() << "no uniform limit in the reference";
}

}  // namespace
}  // namespace fovea
