// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of the derivatives, values from arithmetic with 60 digits, kinks, limits and special rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

#include "core/mechanism/entmax_gradient.h"
#include "core/support/precondition.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using Row = std::vector<double>;

struct Derivatives {
    Row byScores;  ///< J v
    Row byAlpha;
    Row byTemperature;
    EntmaxParameterGradient parameters;
};

Derivatives derivatives(const Row& scores, EntmaxParameters parameters, const Row& upstream) {
    const Row weights = test::solve(scores, parameters).weights;
    const EntmaxPoint<double> point{scores, weights, parameters};
    // Garbage beforehand: every entry has to be written.
    Derivatives found{Row(scores.size(), 7), Row(scores.size(), 7), Row(scores.size(), 7), {}};
    found.parameters = entmaxGradient(point, upstream, found.byScores);
    entmaxByAlpha(point, found.byAlpha);
    entmaxByTemperature(point, found.byTemperature);
    return found;
}

double inner(const Row& a, const Row& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

void expectNear(const Row& found, const Row& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], expected[i], tolerance) << "entry " << i;
    }
}

class Draw {
public:
    explicit Draw(std::uint64_t seed) : engine_(seed) {}
    Row normal(std::size_t count, double scale) {
        Row row(count);
        for (double& value : row) value = std::normal_distribution<double>(0, scale)(engine_);
        return row;
    }

private:
    std::mt19937_64 engine_;
};

TEST(EntmaxGradient, keeps_its_digits_in_extreme_rows) {
    struct Golden {
        EntmaxParameters parameters;
        Row scores, upstream, byScores, byAlpha, byTemperature;
    };
    // Near alpha = 1; weights down to 1e-55; s_max/s_min up to 4e23 above alpha = 2.
    const std::vector<Golden> cases = {
        {{1.00000001, 0.5}, {0.3, -0.2, 1.1}, {1, -2, 0.5},
         {0.17921415155584317, -0.28327304685447174, 0.10405889529862856},
         {-0.18546873705356931, -0.20464386841879481, 0.39011260547236409},
         {0.37828434418364087, 0.25556378056963913, -0.63384812475328001}},
        {{1.0001, 2}, {1.5, -4, 0.25, 0}, {0.5, 1, -1, 2},
         {0.0072704668754449498, 0.0081782355587484302, -0.18992204809243213, 0.17447334565823874},
         {0.25839830018378546, -0.1619647687203144, -0.029786810719815079, -0.066646720743655963},
         {-0.10074670129000543, 0.035986184577519523, 0.026829996795007156, 0.037930519917478756}},
        {{1.05, 1}, {0, -19, -12, 0.5}, {1, -1, 3, 0.25},
         {0.18251648074075075, -3.4776502552938321e-52, 5.9456082771311047e-09, -0.182516486686359},
         {-0.088247818503504757, -8.9339411942584044e-50, -2.7003508382701471e-07, 0.088248088538588579},
         {0.12167764407080077, 4.3764103858973915e-51, 2.9686319366124983e-08, -0.12167767375712013}},
        {{2.5, 1}, {0, -0.6666}, {0.3, -1.2},
         {1.4879331508314968, -1.4879331508314968},
         {0.44086540610398822, -0.44086540610398822},
         {-0.66123749222951711, 0.66123749222951711}},
        {{10, 1}, {0, -0.1, -0.1111}, {0.3, -1.2, 2},
         {1.6472692218595797, -1.6472692218595797, 0},
         {0.013487602640755341, -0.013487602640755341, 0},
         {-0.10981794812397198, 0.10981794812397198, 0}},
        {{10, 0.25}, {0, -0.0277, -0.0275}, {0.3, -1.2, 2},
         {-6.8610208598256257, 0, 6.8610208598256257},
         {0.012455839977354947, 0, -0.012455839977354947},
         {-0.44394840857695222, 0, 0.44394840857695222}},
        {{40, 3}, {1, 0.9999, 0.93}, {2, 1, -1},
         {216.23895826212291, -216.23895826212291, 0},
         {0.0042390548422694451, -0.0042390548422694451, 0},
         {-0.0072079652754033028, 0.0072079652754033028, 0}}};
    for (const auto& golden : cases) {
        SCOPED_TRACE(golden.parameters.alpha);
        const auto found = derivatives(golden.scores, golden.parameters, golden.upstream);
        const double scale = std::max(1.0, std::abs(golden.byScores[0]));
        expectNear(found.byScores, golden.byScores, 1e-13 * scale);
        expectNear(found.byAlpha, golden.byAlpha, 1e-14);
        expectNear(found.byTemperature, golden.byTemperature, 1e-14);
        EXPECT_NEAR(found.parameters.alpha, inner(golden.upstream, golden.byAlpha), 1e-14);
        EXPECT_NEAR(found.parameters.temperature, inner(golden.upstream, golden.byTemperature), 1e-14);
    }
}

TEST(EntmaxGradient, small_weights_have_their_own_digits) {
    const auto found = derivatives({0, -19, -12, 0.5}, {1.05, 1}, {1, -1, 3, 0.25});
    // The weight itself carries eps/(1 - (alpha-1)(s+d)), 1e-12 here.
    EXPECT_NEAR(found.byScores[1] / -3.4776502552938321e-52, 1, 1e-11);
    EXPECT_NEAR(found.byAlpha[1] / -8.9339411942584044e-50, 1, 1e-11);
    EXPECT_NEAR(found.byTemperature[1] / 4.3764103858973915e-51, 1, 1e-11);
}

/// Weights of the row at a place shifted by `step` along `direction` in z, alpha and T.
Row shifted(Row scores, EntmaxParameters parameters, const Row& direction, double alphaStep,
            double temperatureStep, double step) {
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += step * direction[i];
    parameters.alpha += step * alphaStep;
    parameters.temperature += step * temperatureStep;
    return test::solve(scores, parameters).weights;
}

/// Central differences of fourth order; nothing where the support changes on the way.
std::optional<Row> differences(const Row& scores, EntmaxParameters parameters, const Row& direction,
                               double alphaStep, double temperatureStep) {
    constexpr double step = 1e-5;
    std::vector<Row> at;
    for (const double distance : {-2 * step, -step, step, 2 * step}) {
        at.push_back(shifted(scores, parameters, direction, alphaStep, temperatureStep, distance));
    }
    Row slope(scores.size());
    for (std::size_t i = 0; i < scores.size(); ++i) {
        // Near the threshold the higher derivatives are without bound.
        double least = infinity, most = 0;
        for (const Row& weights : at) {
            least = std::min(least, weights[i]);
            most = std::max(most, weights[i]);
        }
        if (most > 0 && least < 1e-2) return std::nullopt;
        slope[i] = (at[0][i] - 8 * at[1][i] + 8 * at[2][i] - at[3][i]) / (12 * step);
    }
    return slope;
}

TEST(EntmaxGradient, equals_finite_differences_in_scores_alpha_and_temperature) {
    Draw draw(21);
    std::size_t compared = 0;
    for (const double alpha : {1.01, 1.25, 1.5, 1.8, 2.0, 2.5, 3.0, 5.0}) {
        for (const double temperature : {0.5, 1.0, 2.0}) {
            for (int repetition = 0; repetition < 20; ++repetition) {
                const Row scores = draw.normal(2 + repetition % 5, 0.5 * temperature / alpha);
                const Row direction = draw.normal(scores.size(), 1);
                const Row still(scores.size());
                const EntmaxParameters parameters{alpha, temperature};
                const auto found = derivatives(scores, parameters, direction);
                const auto inScores = differences(scores, parameters, direction, 0, 0);
                const auto inAlpha = differences(scores, parameters, still, 1, 0);
                const auto inTemperature = differences(scores, parameters, still, 0, 1);
                if (!inScores || !inAlpha || !inTemperature) continue;
                ++compared;
                expectNear(found.byScores, *inScores, 1e-8);
                expectNear(found.byAlpha, *inAlpha, 1e-9);
                expectNear(found.byTemperature, *inTemperature, 1e-8);
                EXPECT_NEAR(found.parameters.alpha, inner(direction, *inAlpha), 1e-8);
                EXPECT_NEAR(found.parameters.temperature, inner(direction, *inTemperature), 1e-8);
            }
        }
    }
    EXPECT_GT(compared, 150u);
}

TEST(EntmaxGradient, by_alpha_equals_the_textbook_form_where_that_has_its_digits) {
    Draw draw(22);
    for (const double alpha : {1.3, 1.5, 2.0, 2.3}) {
        for (int repetition = 0; repetition < 50; ++repetition) {
            const Row scores = draw.normal(6, 0.3);
            const Row weights = test::solve(scores, {alpha, 1}).weights;
            double curvature = 0, entropy = 0;
            for (const double p : weights) {
                curvature += p > 0 ? std::pow(p, 2 - alpha) : 0;
                entropy -= p > 0 ? p * std::log(p) : 0;
            }
            Row expected(scores.size());
            for (std::size_t i = 0; i < scores.size(); ++i) {
                const double p = weights[i];
                if (!(p > 0)) continue;
                const double w = std::pow(p, 2 - alpha) / curvature;
                expected[i] = (p - w) / ((alpha - 1) * (alpha - 1)) +
                              (-p * std::log(p) - w * entropy) / (alpha - 1);
            }
            expectNear(derivatives(scores, {alpha, 1}, scores).byAlpha, expected, 1e-13);
        }
    }
}

TEST(EntmaxGradient, passes_continuously_through_alpha_one_and_two) {
    const Row scores = {0.3, -0.5, 0.8, 0.1};
    const Row upstream = {1, -2, 0.5, 3};
    for (const double alpha : {1.0, 2.0}) {
        const auto at = derivatives(scores, {alpha, 0.9}, upstream);
        for (const double distance : {1e-10, 1e-8, 1e-6}) {
            const auto beside = derivatives(scores, {alpha + distance, 0.9}, upstream);
            expectNear(beside.byScores, at.byScores, 30 * distance + 1e-14);
            expectNear(beside.byAlpha, at.byAlpha, 30 * distance + 1e-14);
            expectNear(beside.byTemperature, at.byTemperature, 30 * distance + 1e-14);
        }
    }
}

TEST(EntmaxGradient, of_sparsemax_is_the_difference_to_the_mean_over_the_support) {
    const auto found = derivatives({0, 0.5, 1}, {2, 2}, {100, 3, 5});
    // Support: all three at T = 2 (gaps 0.5, 0.25, 0).
    expectNear(found.byScores, {32, -16.5, -15.5}, 1e-14);
    const auto sharper = derivatives({0, 0.5, 1}, {2, 1}, {100, 3, 5});
    EXPECT_EQ(sharper.byScores, (Row{0, -1, 1}));
}

TEST(EntmaxGradient, does_not_move_with_offsets_of_scores_or_upstream) {
    Row scores = {0.25, -0.5, 0.75, 0};
    Row upstream = {1, -2, 0.5, 3};
    for (const double alpha : {1.0, 1.2, 1.5, 2.0, 3.0, 8.0}) {
        const auto before = derivatives(scores, {alpha, 0.5}, upstream);
        Row far = scores;
        for (double& score : far) score += 1 << 20;
        Row raised = upstream;
        for (double& value : raised) value += 1 << 20;
        const auto after = derivatives(far, {alpha, 0.5}, raised);
        expectNear(after.byScores, before.byScores, 1e-14 * 10);
        EXPECT_EQ(after.byAlpha, before.byAlpha);
        EXPECT_EQ(after.byTemperature, before.byTemperature);
    }
}

TEST(EntmaxGradient, a_constant_upstream_gives_exact_zeros) {
    for (const double alpha : {1.0, 1.5, 2.0, 4.0, 1e3}) {
        const auto found = derivatives({0, -0.0001, -0.0002}, {alpha, 1}, {1e9, 1e9, 1e9});
        EXPECT_EQ(found.byScores, (Row{0, 0, 0})) << alpha;
        EXPECT_EQ(found.parameters.alpha, 0);
        EXPECT_EQ(found.parameters.temperature, 0);
    }
}

TEST(EntmaxGradient, masked_keys_and_keys_off_the_support_get_zero_and_are_not_read) {
    for (const double alpha : {1.0, 1.3, 2.0, 6.0}) {
        const Row scores = {0.02, -infinity, 0, -2e30, -50};
        const auto with = derivatives(scores, {alpha, 1}, {2, nan, 1, infinity, -3});
        const auto without = derivatives({0.02, 0, -50}, {alpha, 1}, {2, 1, -3});
        const auto compare = [](const Row& longer, const Row& shorter) {
            EXPECT_EQ(longer[1], 0);
            EXPECT_EQ(longer[3], 0);
            EXPECT_EQ(longer[0], shorter[0]);
            EXPECT_EQ(longer[2], shorter[1]);
            EXPECT_EQ(longer[4], shorter[2]);
        };
        compare(with.byScores, without.byScores);
        compare(with.byAlpha, without.byAlpha);
        compare(with.byTemperature, without.byTemperature);
        EXPECT_EQ(with.parameters.alpha, without.parameters.alpha);
        EXPECT_EQ(with.parameters.temperature, without.parameters.temperature);
        if (alpha > 1.1) { EXPECT_EQ(with.byScores[4], 0); }
    }
}

TEST(EntmaxGradient, at_a_tie_with_the_threshold_is_the_derivative_from_outside) {
    // At alpha = 2 a gap of exactly 1 is exactly out.
    EXPECT_EQ(derivatives({1, 0}, {2, 1}, {3, -4}).byScores, (Row{0, 0}));
    EXPECT_EQ(derivatives({1, 1, 0.5}, {2, 1}, {3, -4, 100}).byScores, (Row{3.5, -3.5, 0}));
}

TEST(EntmaxGradient, tied_keys_share_alike) {
    for (const double alpha : {1.0, 1.4, 2.0, 7.0}) {
        const auto found = derivatives({0.5, 0.5, 0.5, 0.5}, {alpha, 1}, {1, 0, 0, 0});
        const double s = std::pow(0.25, 2 - alpha);
        expectNear(found.byScores, {s * 0.75, -s / 4, -s / 4, -s / 4}, 1e-15 * s);
        EXPECT_EQ(found.byAlpha, (Row{0, 0, 0, 0}));
        EXPECT_EQ(found.byTemperature, (Row{0, 0, 0, 0}));
    }
}

TEST(EntmaxGradient, of_a_single_key_is_zero) {
    for (const double alpha : {1.0, 1.5, 2.0, 9.0}) {
        const auto found = derivatives({3}, {alpha, 0.1}, {5});
        EXPECT_EQ(found.byScores, Row{0});
        EXPECT_EQ(found.byAlpha, Row{0});
        EXPECT_EQ(found.byTemperature, Row{0});
    }
}

void expectAll(const Derivatives& found, double expected) {
    const auto same = [&](double value) {
        return std::isnan(expected) ? std::isnan(value) : value == expected;
    };
    for (const Row* row : {&found.byScores, &found.byAlpha, &found.byTemperature}) {
        EXPECT_TRUE(std::all_of(row->begin(), row->end(), same));
    }
    EXPECT_TRUE(same(found.parameters.alpha));
    EXPECT_TRUE(same(found.parameters.temperature));
}

TEST(EntmaxGradient, in_the_limits_and_of_infinite_scores_is_zero) {
    const Row upstream = {1, -2, 3};
    for (const double alpha : {1.0, 1.5, 2.0, 5.0, infinity}) {
        expectAll(derivatives({1, 1, 0}, {alpha, 0}, upstream), 0);
        expectAll(derivatives({1, 2, 0}, {alpha, infinity}, upstream), 0);
        expectAll(derivatives({infinity, 2, infinity}, {alpha, 1}, upstream), 0);
    }
    expectAll(derivatives({1, 1, 0}, {infinity, 1}, upstream), 0);
}

TEST(EntmaxGradient, of_an_empty_row_is_zero_and_of_an_invalid_row_nan) {
    for (const double alpha : {1.0, 1.5, 2.0, 5.0}) {
        expectAll(derivatives({-infinity, -1e30}, {alpha, 1}, {1, nan}), 0);
        expectAll(derivatives({}, {alpha, 1}, {}), 0);
        for (const double temperature : {0.0, 1.0, infinity}) {
            expectAll(derivatives({0, nan, infinity}, {alpha, temperature}, {1, 2, 3}), nan);
        }
    }
}

TEST(EntmaxGradient, a_weight_whose_curvature_overflows_does_not_poison_the_row) {
    // p_2^(2-alpha) leaves double; dp_1/dz_1 tends to p_1^(2-alpha).
    const Row weights = {0.75, 0.25};
    const Row scores = {0, 0};
    const EntmaxPoint<double> point{scores, weights, {1500, 1}};
    Row product(2);
    entmaxJacobianProduct(point, Row{1, 0}, product);
    const double expected = std::pow(0.75, -1498);
    EXPECT_NEAR(product[0] / expected, 1, 1e-12);
    EXPECT_NEAR(product[1] / expected, -1, 1e-12);
    entmaxJacobianProduct(point, Row{4, 4}, product);
    EXPECT_EQ(product, (Row{0, 0}));
}

TEST(EntmaxGradient, of_float_rows_is_the_double_one_rounded) {
    Draw draw(23);
    for (const double alpha : {1.0, 1.0001, 1.5, 1.9, 2.0, 3.0}) {
        const Row drawn = draw.normal(12, 0.5);
        const std::vector<float> scores(drawn.begin(), drawn.end());
        const std::vector<float> upstream(drawn.rbegin(), drawn.rend());
        std::vector<float> weights(scores.size()), found(scores.size()), other(scores.size());
        EntmaxWorkspace workspace;
        const EntmaxParameters parameters{alpha, 0.7};
        entmax(std::span<const float>(scores), parameters, std::span<float>(weights), workspace);
        const EntmaxPoint<float> point{scores, weights, parameters};
        const auto sums = entmaxGradient(point, upstream, found);
        const auto expected = derivatives({scores.begin(), scores.end()}, parameters,
                                          {upstream.begin(), upstream.end()});
        expectNear({found.begin(), found.end()}, expected.byScores, 1e-6);
        entmaxJacobianProduct(point, upstream, other);
        EXPECT_EQ(other, found);
        EXPECT_NEAR(sums.alpha, expected.parameters.alpha, 1e-6);
        EXPECT_NEAR(sums.temperature, expected.parameters.temperature, 1e-6);
        entmaxByAlpha(point, found);
        expectNear({found.begin(), found.end()}, expected.byAlpha, 1e-6);
        entmaxByTemperature(point, found);
        expectNear({found.begin(), found.end()}, expected.byTemperature, 1e-6);
    }
}

TEST(EntmaxGradient, of_65536_keys_sums_to_zero_like_short_ones) {
    Draw draw(24);
    const Row scores = draw.normal(65536, 1);
    const Row upstream = draw.normal(65536, 1);
    for (const double alpha : {1.0, 1.01, 1.5, 2.0, 2.2}) {
        const auto found = derivatives(scores, {alpha, 30}, upstream);
        double sum = 0, size = 0;
        for (const double value : found.byScores) {
            sum += value;
            size += std::abs(value);
        }
        EXPECT_NEAR(sum, 0, 1e-14 * std::max(size, 1.0)) << alpha;
    }
}

TEST(EntmaxGradient, unequal_lengths_and_unchecked_parameters_are_broken_promises) {
    const Row two = {0.5, 0.5};
    const Row three = {1, 2, 3};
    Row out(2);
    EXPECT_THROW(entmaxJacobianProduct({two, three, {1.5, 1}}, two, out), PreconditionError);
    EXPECT_THROW(entmaxJacobianProduct({two, two, {1.5, 1}}, three, out), PreconditionError);
    EXPECT_THROW(entmaxGradient(EntmaxPoint<double>{two, two, {0.5, 1}}, two, out), PreconditionError);
    EXPECT_THROW(entmaxGradient(EntmaxPoint<double>{two, two, {nan, 1}}, two, out), PreconditionError);
    Row longer(3);
    EXPECT_THROW(entmaxByAlpha(EntmaxPoint<double>{two, two, {1.5, 1}}, longer), PreconditionError);
    EXPECT_THROW(entmaxByTemperature(EntmaxPoint<double>{two, two, {1.5, -1}}, out), PreconditionError);
}

}  // namespace
}  // namespace fovea
