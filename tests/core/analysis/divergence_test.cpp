// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/analysis/divergence.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/support/precondition.h"
#include "tests/support/test_data.h"

namespace fovea {
namespace {

using Weights = std::vector<double>;

class Draw {
public:
    explicit Draw(std::uint64_t seed) : engine_(seed) {}

    /// Weights that sum to 1, about a third of them 0.
    Weights weights(std::size_t length) {
        std::uniform_real_distribution<double> unit(0, 1);
        Weights drawn(length);
        double sum = 0;
        for (double& weight : drawn) sum += weight = std::max(0.0, unit(engine_) * 1.5 - 0.5);
        if (sum == 0) sum = drawn[0] = 1;
        for (double& weight : drawn) weight /= sum;
        return drawn;
    }

private:
    std::mt19937_64 engine_;
};

TEST(JensenShannon, is_a_symmetric_square_of_a_metric_within_zero_and_log_two) {
    Draw draw(1);
    for (int i = 0; i < 3000; ++i) {
        const std::size_t length = 1 + static_cast<std::size_t>(i) % 40;
        const auto p = draw.weights(length);
        const auto q = draw.weights(length);
        const auto r = draw.weights(length);
        const double js = jensenShannon(p, q);
        EXPECT_GE(js, 0);
        EXPECT_LE(js, std::numbers::ln2 * (1 + 1e-15));
        EXPECT_NEAR(js, jensenShannon(q, p), 1e-16);
        EXPECT_EQ(jensenShannon(p, p), 0);
        EXPECT_LE(std::sqrt(js), std::sqrt(jensenShannon(p, r)) + std::sqrt(jensenShannon(r, q)) + 1e-12);
        // Pinsker and its like: (TV)^2/2 <= JS <= ln 2 TV.
        const double distance = totalVariation(p, q);
        EXPECT_LE(distance * distance / 2, js + 1e-15);
        EXPECT_LE(js, std::numbers::ln2 * distance + 1e-15);
    }
}

TEST(JensenShannon, is_log_two_between_disjoint_supports) {
    const Weights p = {0.5, 0.5, 0, 0};
    const Weights q = {0, 0, 0.25, 0.75};
    EXPECT_DOUBLE_EQ(jensenShannon(p, q), std::numbers::ln2);
    EXPECT_DOUBLE_EQ(totalVariation(p, q), 1);
}

TEST(JensenShannon, keeps_its_digits_for_nearly_equal_weights) {
    // JS ~ x^2/2 for (1+x, 1-x)/2 against equal weights halved: m = (1 + x/2)/2, so sum (p-q)^2/(8m).
    for (const double x : {1e-2, 1e-5, 1e-9, 1e-13}) {
        const double exactX = (0.5 + x) - 0.5;
        const double js = jensenShannon(Weights{0.5 + exactX, 0.5 - exactX}, Weights{0.5, 0.5});
        const double series = exactX * exactX / 2;
        EXPECT_NEAR(js / series, 1, 2 * exactX + 1e-14);
    }
}

TEST(JensenShannon, does_not_depend_on_the_scale_of_its_arguments) {
    const Weights p = {0.2, 0.3, 0.5};
    const Weights q = {0.6, 0, 0.4};
    EXPECT_NEAR(jensenShannon(Weights{2, 3, 5}, q), jensenShannon(p, q), 1e-15);
    EXPECT_NEAR(totalVariation(Weights{2, 3, 5}, q), totalVariation(p, q), 1e-15);
}

TEST(JensenShannon, is_nan_where_it_is_not_defined) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& bad : {Weights{nan, 1}, Weights{0, 0}}) {
        EXPECT_TRUE(std::isnan(jensenShannon(bad, Weights{0.5, 0.5})));
        EXPECT_TRUE(std::isnan(totalVariation(Weights{0.5, 0.5}, bad)));
    }
    EXPECT_THROW(jensenShannon(Weights{1}, Weights{0.5, 0.5}), PreconditionError);
}

TEST(DivergenceReference, divergences_meet_the_exact_values) {
    std::size_t compared = 0;
    const auto folder = test::dataFolder() / "reference";
    if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no reference folder";
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
        if (file.path().extension() != ".json") continue;
        std::ifstream stream(file.path());
        const auto content = nlohmann::json::parse(stream);
        if (!content.contains("divergences")) continue;
        for (const auto& entry : content["divergences"]) {
            SCOPED_TRACE(entry["name"].dump());
            const auto p = entry["p"].get<Weights>();
            const auto q = entry["q"].get<Weights>();
            const double js = entry["js"].get<double>();
            EXPECT_NEAR(jensenShannon(p, q), js, 1e-13);
            EXPECT_NEAR(std::sqrt(jensenShannon(p, q)), entry["js_distance"].get<double>(),
                        js < 1e-12 ? 1e-7 : 1e-13);
            EXPECT_NEAR(totalVariation(p, q), entry["total_variation"].get<double>(), 1e-13);
            ++compared;
        }
    }
    if (compared == 0) GTEST_SKIP() << "no divergences in the reference";
}

}  // namespace
}  // namespace fovea
