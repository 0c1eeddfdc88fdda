// SPDX-License-Identifier: GPL-3.0-or-later
//
// Whole arrays of rows against the solver of one row, on every vector unit that this processor has.
#include "core/mechanism/entmax_rows.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "tests/support/near.h"

namespace fovea {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

/// Runs the kernels on one vector unit for the length of a scope.
class OnUnit {
public:
    explicit OnUnit(std::int64_t target) {
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().DeInit();
    }
    ~OnUnit() {
        hwy::SetSupportedTargetsForTest(0);
        hwy::GetChosenTarget().DeInit();
    }
};

std::vector<std::int64_t> units() {
    std::vector<std::int64_t> found;
    for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1)
        found.push_back(rest & -rest);
    return found;
}

std::vector<float> normalScores(std::size_t count, float deviation, float offset = 0, unsigned seed = 1) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(offset, deviation);
    std::vector<float> scores(count);
    for (float& score : scores) score = normal(generator);
    return scores;
}

std::vector<float> rowsOf(const std::vector<float>& scores, std::size_t columns, EntmaxParameters parameters,
                          std::size_t threads = 1) {
    std::vector<float> weights(scores.size());
    entmaxRows(scores, columns, parameters, weights, threads);
    return weights;
}

/// The weights of `entmax` in double from the same float scores.
std::vector<double> exactRows(const std::vector<float>& scores, std::size_t columns,
                              EntmaxParameters parameters) {
    std::vector<double> weights(scores.size());
    EntmaxWorkspace workspace;
    for (std::size_t at = 0; at < scores.size(); at += columns) {
        entmax(std::span(scores).subspan(at, columns), parameters, std::span(weights).subspan(at, columns),
               workspace);
    }
    return weights;
}

constexpr double alphas[] = {1,    1 + 1e-8, 1.0001, 1.01, 1.1, 1.25, 1.3333333, 1.5, 1.6, 1.75,
                             1.99, 1.99999,  2,      2.01, 2.5, 3,    4,         5,   7.5, 10};

TEST(EntmaxRows, agree_with_the_double_solution_for_every_alpha_on_every_unit) {
    for (const std::int64_t unit : units()) {
        const OnUnit on(unit);
        for (const double alpha : alphas) {
            for (const std::size_t columns : {1, 2, 3, 15, 16, 17, 33, 64, 200, 1025}) {
                for (const float deviation : {1e-3F, 1.0F, 3.0F, 50.0F}) {
                    const auto scores = normalScores(4 * columns, deviation);
                    const EntmaxParameters parameters{alpha, 0.7};
                    ASSERT_TRUE(test::valuesNear(rowsOf(scores, columns, parameters),
                                                 exactRows(scores, columns, parameters), 1e-6, {4, columns}))
                        << hwy::TargetName(unit) << ", alpha " << alpha << ", deviation " << deviation;
                }
            }
        }
    }
}

RC_GTEST_PROP(EntmaxRows, meet_the_double_solution_whatever_alpha_temperature_and_scores_are, ()) {
    const double alpha = 1 + 9 * std::pow(*rc::gen::inRange(0, 1000001) / 1e6, 3);
    const double temperature = std::exp(*rc::gen::inRange(-3000, 3001) / 1e3);
    const std::size_t columns = *rc::gen::inRange<std::size_t>(1, 200);
    const auto deviation = static_cast<float>(std::exp(*rc::gen::inRange(-4000, 4001) / 1e3));
    auto scores = normalScores(columns, deviation, 0, *rc::gen::arbitrary<unsigned>());
    // Ties, and keys that are masked.
    for (std::size_t i = 0; i + 7 < columns; i += 7) scores[i] = scores[i + 1];
    if (columns > 10) scores[columns / 2] = -infinity;
    const EntmaxParameters parameters{alpha, temperature};
    const auto found = rowsOf(scores, columns, parameters);
    RC_ASSERT(test::valuesNear(found, exactRows(scores, columns, parameters), 1e-6));
}

TEST(EntmaxRows, sum_to_one) {
    for (const double alpha : alphas) {
        const auto weights = rowsOf(normalScores(50 * 777, 2), 777, {alpha, 1});
        for (std::size_t at = 0; at < weights.size(); at += 777) {
            double sum = 0;
            for (std::size_t i = at; i < at + 777; ++i) sum += weights[i];
            ASSERT_NEAR(sum, 1, 1e-6) << "alpha " << alpha;
        }
    }
}

TEST(EntmaxRows, keep_ties_that_stand_at_the_border_of_the_support) {
    // One score above many equal ones, whose weights fade to 0 as the lead grows.
    for (const double alpha : {1.1, 1.5, 1.9, 1.999, 2.0, 3.0}) {
        for (const double share : {0.9, 0.99, 0.999, 0.9999, 1.0, 1.0001}) {
            std::vector<float> scores(1000, 0.0F);
            scores[500] = static_cast<float>(share / (alpha - 1));
            ASSERT_TRUE(
                test::valuesNear(rowsOf(scores, 1000, {alpha, 1}), exactRows(scores, 1000, {alpha, 1}), 1e-6))
                << "alpha " << alpha << ", lead " << scores[500];
        }
    }
}

TEST(EntmaxRows, do_not_depend_on_the_number_of_threads) {
    const auto scores = normalScores(1000 * 300, 3);
    for (const double alpha : {1.0, 1.3, 1.5, 2.0, 3.0}) {
        const auto one = rowsOf(scores, 300, {alpha, 1}, 1);
        for (const std::size_t threads : {2, 3, 7}) {
            ASSERT_EQ(one, rowsOf(scores, 300, {alpha, 1}, threads)) << "alpha " << alpha << ", " << threads;
        }
    }
}

TEST(EntmaxRows, of_large_arrays_are_those_of_their_parts) {
    // Large results are written past the caches, where rows begin and end with whole vectors.
    constexpr std::size_t columns = 512, rows = (std::size_t{1} << 22) / columns + 3;
    auto scores = normalScores((rows + 1) * columns, 3);
    scores[5 * columns + 7] = notANumber;
    std::fill_n(scores.begin() + 9 * columns, columns, -infinity);
    std::vector<float> memory(scores.size());
    const std::size_t place = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    const std::span<float> whole(memory.data() + (64 - place) % 64 / sizeof(float), rows * columns);
    const std::span<const float> all(scores.data(), rows * columns);
    for (const double alpha : {1.0, 1.3, 1.5, 2.0, 3.0}) {
        const RowCounts counts = entmaxRows(all, columns, {alpha, 1}, whole);
        EXPECT_EQ(counts, (RowCounts{.empty = 1, .invalid = 1}));
        std::vector<float> part(columns);
        for (std::size_t at = 0; at < all.size(); at += columns) {
            entmaxRows(all.subspan(at, columns), columns, {alpha, 1}, part);
            const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
            ASSERT_TRUE(std::ranges::equal(part, whole.subspan(at, columns), same)) << "alpha " << alpha;
        }
    }
}

TEST(EntmaxRows, may_replace_their_scores) {
    for (const double alpha : {1.0, 1.2, 1.5, 2.0, 4.0}) {
        auto scores = normalScores(20 * 130, 3);
        const auto apart = rowsOf(scores, 130, {alpha, 1});
        entmaxRows(scores, 130, {alpha, 1}, scores);
        EXPECT_EQ(scores, apart) << "alpha " << alpha;
    }
}

TEST(EntmaxRows, do_not_depend_on_what_stands_around_them) {
    // Vectors reach past the end of a row; what is there must not matter.
    for (const double alpha : {1.0, 1.4, 1.5, 2.0, 2.5}) {
        const auto scores = normalScores(19, 2);
        std::vector<float> framed(3 * 19, 1e9F);
        std::copy(scores.begin(), scores.end(), framed.begin() + 19);
        const auto weights = rowsOf(framed, 19, {alpha, 1});
        const std::vector<float> middle(weights.begin() + 19, weights.begin() + 38);
        EXPECT_EQ(middle, rowsOf(scores, 19, {alpha, 1})) << "alpha " << alpha;
    }
}

TEST(EntmaxRows, give_masked_keys_zero_and_count_rows_without_keys) {
    for (const double alpha : {1.0, 1.3, 1.5, 2.0, 3.0}) {
        const std::vector<float> scores{1,      -infinity, 2, -1e30F, -infinity, -1e30F,
                                        -3e38F, -infinity, 0, 0,      0,         0};
        std::vector<float> weights(12, 7);
        const RowCounts counts =
            entmaxRows(std::span<const float>(scores), 4, {alpha, 1}, std::span<float>(weights));
        EXPECT_EQ(counts, (RowCounts{.empty = 1, .invalid = 0}));
        EXPECT_TRUE(test::valuesNear(weights, exactRows(scores, 4, {alpha, 1}), 1e-6, {3, 4}));
        EXPECT_EQ(weights[1], 0);
        EXPECT_EQ(weights[3], 0);
    }
}

TEST(EntmaxRows, give_rows_with_nan_nan_alone) {
    for (const std::int64_t unit : units()) {
        const OnUnit on(unit);
        for (const std::size_t place : {0, 7, 20, 36}) {
            std::vector<float> scores = normalScores(2 * 37, 1);
            scores[place] = notANumber;
            std::vector<float> weights(scores.size());
            const auto counts =
                entmaxRows(std::span<const float>(scores), 37, {1.5, 1}, std::span<float>(weights));
            EXPECT_EQ(counts.invalid, 1U);
            EXPECT_TRUE(
                std::all_of(weights.begin(), weights.begin() + 37, [](float w) { return std::isnan(w); }));
            EXPECT_FALSE(
                std::any_of(weights.begin() + 37, weights.end(), [](float w) { return std::isnan(w); }));
        }
    }
}

TEST(EntmaxRows, share_among_infinite_scores_and_in_the_limits) {
    const std::vector<float> infinite{0, infinity, 1, infinity};
    EXPECT_EQ(rowsOf(infinite, 4, {1.3, 1}), (std::vector<float>{0, 0.5F, 0, 0.5F}));
    const std::vector<float> scores{2, 1, 2, -infinity};
    const double unbounded = std::numeric_limits<double>::infinity();
    EXPECT_EQ(rowsOf(scores, 4, {1.3, 0}), (std::vector<float>{0.5F, 0, 0.5F, 0}));
    EXPECT_EQ(rowsOf(scores, 4, {unbounded, 1}), (std::vector<float>{0.5F, 0, 0.5F, 0}));
    EXPECT_TRUE(test::valuesNear(rowsOf(scores, 4, {1.3, unbounded}),
                                 std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3, 0}, 1e-7));
}

TEST(EntmaxRows, keep_their_digits_at_large_offsets_and_extreme_temperatures) {
    for (const double alpha : {1.0, 1.1, 1.5, 2.0, 5.0}) {
        for (const double temperature : {1e-30, 1e-20, 1e-3, 1e3, 1e20, 1e30}) {
            auto scores = normalScores(300, 3);
            for (float& score : scores) score += 1e8F;
            ASSERT_TRUE(test::valuesNear(rowsOf(scores, 100, {alpha, temperature}),
                                         exactRows(scores, 100, {alpha, temperature}), 1e-6))
                << "alpha " << alpha << ", T " << temperature;
        }
    }
}

TEST(EntmaxRows, accept_arrays_without_entries) {
    std::vector<float> none;
    EXPECT_EQ(entmaxRows(std::span<const float>(none), 5, {1.5, 1}, std::span<float>(none)), RowCounts{});
    EXPECT_EQ(entmaxRows(std::span<const float>(none), 0, {1.5, 1}, std::span<float>(none)), RowCounts{});
}

TEST(EntmaxRows, of_doubles_are_those_of_one_row) {
    const auto narrow = normalScores(30 * 21, 2);
    const std::vector<double> scores(narrow.begin(), narrow.end());
    std::vector<double> weights(scores.size()), row(21);
    entmaxRows(std::span<const double>(scores), 21, {1.7, 0.5}, std::span<double>(weights), 4);
    EntmaxWorkspace workspace;
    for (std::size_t at = 0; at < scores.size(); at += 21) {
        entmax(std::span(scores).subspan(at, 21), {1.7, 0.5}, row, workspace);
        ASSERT_TRUE(std::equal(row.begin(), row.end(), weights.begin() + static_cast<std::ptrdiff_t>(at)));
    }
}

/// s (v - <s, v>/sum s)/T in double from float weights.
std::vector<double> exactGradient(const std::vector<float>& weights, const std::vector<float>& upstream,
                                  std::size_t columns, EntmaxParameters parameters) {
    std::vector<double> gradient(weights.size());
    for (std::size_t at = 0; at < weights.size(); at += columns) {
        double total = 0, product = 0;
        const auto slope = [&](std::size_t i) {
            return weights[i] > 0 ? std::pow(static_cast<double>(weights[i]), 2 - parameters.alpha) : 0.0;
        };
        for (std::size_t i = at; i < at + columns; ++i) {
            total += slope(i);
            product += slope(i) * static_cast<double>(upstream[i]);
        }
        for (std::size_t i = at; i < at + columns; ++i) {
            gradient[i] =
                slope(i) * (static_cast<double>(upstream[i]) - product / total) / parameters.temperature;
        }
    }
    return gradient;
}

TEST(EntmaxGradientRows, follow_the_jacobian_for_every_alpha_on_every_unit) {
    for (const std::int64_t unit : units()) {
        const OnUnit on(unit);
        for (const double alpha : {1.0, 1.0001, 1.1, 1.3, 1.5, 1.75, 1.99, 2.0, 2.5, 3.0}) {
            for (const std::size_t columns : {1, 5, 16, 17, 130, 1000}) {
                const EntmaxParameters parameters{alpha, 0.8};
                const auto weights = rowsOf(normalScores(3 * columns, 1), columns, parameters);
                const auto upstream = normalScores(3 * columns, 1, 0, 2);
                std::vector<float> gradient(weights.size());
                entmaxGradientRows(weights, upstream, columns, parameters, gradient);
                const auto exact = exactGradient(weights, upstream, columns, parameters);
                double largest = 1;
                for (const double value : exact) largest = std::max(largest, std::abs(value));
                ASSERT_TRUE(test::valuesNear(gradient, exact, 2e-6 * largest, {3, columns}))
                    << hwy::TargetName(unit) << ", alpha " << alpha;
            }
        }
    }
}

TEST(EntmaxGradientRows, are_zero_off_the_support_whatever_comes_from_upstream) {
    const std::vector<float> weights{0.5F, 0, 0.5F, 0, 0, 0, 0, 0};
    const std::vector<float> upstream{1, infinity, 3, notANumber, infinity, notANumber, 1, 2};
    for (const double alpha : {1.0, 1.3, 1.5, 2.0, 3.0}) {
        std::vector<float> gradient(8, 9);
        entmaxGradientRows(weights, upstream, 4, {alpha, 1}, gradient);
        for (const std::size_t i : {1, 3, 4, 5, 6, 7}) EXPECT_EQ(gradient[i], 0) << "alpha " << alpha;
        EXPECT_LT(gradient[0], 0);
        EXPECT_GT(gradient[2], 0);
    }
}

TEST(EntmaxGradientRows, follow_extreme_temperatures) {
    const std::vector<float> weights{0.5F, 0, 0.25F, 0.25F}, upstream{1, 2, 3, 4};
    for (const double alpha : {1.0, 1.4, 2.0, 3.0}) {
        for (const double temperature : {1e-30, 1e-20, 1e20, 1e30}) {
            std::vector<float> gradient(4);
            entmaxGradientRows(weights, upstream, 4, {alpha, temperature}, gradient);
            const auto exact = exactGradient(weights, upstream, 4, {alpha, temperature});
            for (std::size_t i = 0; i < 4; ++i) {
                EXPECT_NEAR(gradient[i], exact[i], 1e-5 / temperature)
                    << "alpha " << alpha << ", T " << temperature;
            }
        }
    }
}

TEST(EntmaxGradientRows, of_nan_rows_are_nan_and_of_steps_zero) {
    const std::vector<float> weights{notANumber, notANumber, 1, 0}, upstream{1, 2, 3, 4};
    const double unbounded = std::numeric_limits<double>::infinity();
    for (const EntmaxParameters parameters : {EntmaxParameters{1.5, 1}, EntmaxParameters{1.3, 1},
                                              EntmaxParameters{2, 1}, EntmaxParameters{4, 1},
                                              EntmaxParameters{1.5, 0}, EntmaxParameters{unbounded, 1}}) {
        std::vector<float> gradient(4);
        entmaxGradientRows(weights, upstream, 2, parameters, gradient);
        EXPECT_TRUE(std::isnan(gradient[0]) && std::isnan(gradient[1])) << "alpha " << parameters.alpha;
        EXPECT_EQ(gradient[2], 0);
        EXPECT_EQ(gradient[3], 0);
    }
}

}  // namespace
}  // namespace fovea
