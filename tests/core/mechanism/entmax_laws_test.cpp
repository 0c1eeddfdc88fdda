// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of the family on seeded random rows: plain, tied, nearly tied, masked, far from 0, at all scales.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/mechanism/entmax_laws.h"

namespace fovea {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Draw {
public:
    explicit Draw(std::uint64_t seed) : engine_(seed) {}

    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(engine_);
    }
    std::size_t below(std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
    }
    template <class T>
    T oneOf(std::initializer_list<T> values) { return *(values.begin() + below(values.size())); }

    double alpha() {
        switch (below(4)) {
            case 0: return oneOf({1.0, 1.5, 2.0});
            case 1: return 1 + std::exp(uniform(std::log(1e-8), 0));
            case 2: return uniform(1, 10);
            default: return 1 + std::exp(uniform(0, std::log(1e6)));
        }
    }

    std::vector<double> scores() {
        std::vector<double> row(oneOf<std::size_t>({1, 2, 3, 7, 16, 60, 300}));
        const double scale = oneOf({1.0, 1.0, 0.01, 30.0});
        std::normal_distribution<double> normal(0, scale);
        for (double& score : row) score = normal(engine_);
        const std::size_t kind = below(6);
        for (double& score : row) {
            if (kind == 0) score = std::round(score / scale * 2) / 2 * scale;
            if (kind == 1) score = row[0] + static_cast<double>(below(3)) * 1e-15;
            if (kind == 2) score = row[0];
        }
        if (below(4) == 0) row[below(row.size())] = -infinity;
        if (std::all_of(row.begin(), row.end(), [](double score) { return score == -infinity; })) row[0] = 0;
        return row;
    }

    template <class Row>
    void shuffle(Row& row) { std::shuffle(row.begin(), row.end(), engine_); }

private:
    std::mt19937_64 engine_;
};

struct Solved {
    EntmaxRow row;
    std::vector<double> weights;
};

Solved solve(const std::vector<double>& scores, EntmaxParameters parameters) {
    static EntmaxWorkspace workspace;
    Solved solved{{}, std::vector<double>(scores.size())};
    const std::span<const double> row(scores);
    solved.row = entmax(row, parameters, std::span<double>(solved.weights), workspace);
    return solved;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

constexpr int manyCases = 4000;

TEST(EntmaxLaw, weights_are_a_distribution_with_a_small_residual) {
    Draw draw(1);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        const auto solved = solve(scores, {draw.alpha(), draw.oneOf({0.05, 1.0, 20.0})});
        EXPECT_EQ(solved.row.state, RowState::Ok);
        double sum = 0;
        for (const double weight : solved.weights) {
            EXPECT_GE(weight, 0);
            sum += weight;
        }
        EXPECT_NEAR(sum, 1, 1e-13);
        EXPECT_EQ(solved.row.residual, sum - 1);
        EXPECT_GE(solved.row.offset, 0);
        EXPECT_GE(solved.row.support, 1u);
    }
}

TEST(EntmaxLaw, the_returned_offset_reproduces_the_weights) {
    // Up to alpha = 2, where p is not steeper than its offset.
    Draw draw(2);
    for (int i = 0; i < manyCases; ++i) {
        const double alpha = draw.uniform(1.001, 2);
        const auto scores = draw.scores();
        const auto solved = solve(scores, {alpha, 1});
        const double highest = *std::max_element(scores.begin(), scores.end());
        std::size_t support = 0;
        for (std::size_t k = 0; k < scores.size(); ++k) {
            const double base = 1 - (alpha - 1) * (solved.row.offset + (highest - scores[k]));
            support += base > 0;
            EXPECT_NEAR(solved.weights[k], base > 0 ? std::pow(base, 1 / (alpha - 1)) : 0.0, 2e-13);
        }
        EXPECT_EQ(solved.row.support, support);
    }
}

TEST(EntmaxLaw, threshold_and_normalizer_agree) {
    Draw draw(3);
    for (int i = 0; i < manyCases; ++i) {
        const double alpha = draw.uniform(1, 10);
        const double temperature = draw.oneOf({0.1, 1.0, 7.0});
        const auto scores = draw.scores();
        const auto row = solve(scores, {alpha, temperature}).row;
        const double highest = *std::max_element(scores.begin(), scores.end()) / temperature;
        EXPECT_NEAR(row.normalizer, highest + row.offset, 1e-15 * (1 + std::abs(highest)));
        EXPECT_NEAR(row.threshold, (alpha - 1) * row.normalizer - 1, 1e-14 * (1 + alpha * std::abs(highest)));
    }
}

TEST(EntmaxLaw, a_constant_added_to_the_scores_changes_nothing) {
    Draw draw(4);
    for (int i = 0; i < manyCases; ++i) {
        // Multiples of 2^-10 keep the sums exact.
        auto scores = draw.scores();
        for (double& score : scores) score = std::round(score * 1024) / 1024;
        const EntmaxParameters parameters{draw.alpha(), 0.8};
        const auto before = solve(scores, parameters);
        for (double& score : scores) score += 1 << 20;
        const auto after = solve(scores, parameters);
        EXPECT_EQ(before.weights, after.weights);
        EXPECT_EQ(before.row.offset, after.row.offset);
    }
}

TEST(EntmaxLaw, permuted_scores_give_permuted_weights) {
    Draw draw(5);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        const EntmaxParameters parameters{draw.alpha(), 1};
        std::vector<std::size_t> order(scores.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        draw.shuffle(order);
        std::vector<double> permuted(scores.size());
        for (std::size_t k = 0; k < order.size(); ++k) permuted[k] = scores[order[k]];
        const auto expected = solve(scores, parameters);
        const auto found = solve(permuted, parameters);
        for (std::size_t k = 0; k < order.size(); ++k) {
            EXPECT_NEAR(found.weights[k], expected.weights[order[k]], 1e-14);
        }
        EXPECT_EQ(found.row.support, expected.row.support);
    }
}

TEST(EntmaxLaw, higher_scores_never_weigh_less_and_ties_weigh_the_same) {
    Draw draw(6);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        const auto weights = solve(scores, {draw.alpha(), 1}).weights;
        std::vector<std::size_t> order(scores.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return scores[a] < scores[b]; });
        for (std::size_t k = 1; k < order.size(); ++k) {
            const double lower = weights[order[k - 1]];
            const double higher = weights[order[k]];
            if (scores[order[k - 1]] == scores[order[k]]) { EXPECT_EQ(lower, higher); }
            EXPECT_LE(lower, higher);
        }
    }
}

TEST(EntmaxLaw, the_support_never_grows_with_alpha) {
    Draw draw(7);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        double alpha = 1;
        std::size_t before = scores.size();
        for (int step = 0; step < 6; ++step) {
            const std::size_t support = solve(scores, {alpha, 1}).row.support;
            EXPECT_LE(support, before) << "alpha " << alpha;
            before = support;
            alpha += draw.uniform(0.01, 2);
        }
    }
}

TEST(EntmaxLaw, temperature_divides_the_scores) {
    Draw draw(8);
    for (int i = 0; i < manyCases; ++i) {
        auto scores = draw.scores();
        const double alpha = draw.alpha();
        const auto tempered = solve(scores, {alpha, 0.125});
        for (double& score : scores) score *= 8;
        const auto scaled = solve(scores, {alpha, 1});
        EXPECT_EQ(tempered.weights, scaled.weights);
        EXPECT_EQ(tempered.row.offset, scaled.row.offset);
    }
}

TEST(EntmaxLaw, alpha_moves_the_weights_continuously_through_its_branches) {
    Draw draw(9);
    for (int i = 0; i < manyCases / 4; ++i) {
        const auto scores = draw.scores();
        for (const double alpha : {1 + 1e-9, 1.1, 1.5, 2.0}) {
            const auto below = solve(scores, {std::max(1.0, alpha - 1e-9), 1}).weights;
            const auto at = solve(scores, {alpha, 1}).weights;
            const auto above = solve(scores, {alpha + 1e-9, 1}).weights;
            EXPECT_LT(largestDifference(below, at), 1e-7);
            EXPECT_LT(largestDifference(at, above), 1e-7);
        }
    }
}

/// Weights by one private law, normalised.
std::vector<double> byLaw(entmax_laws::Solution (*law)(const entmax_laws::Row&), std::vector<double> scores,
                          double alpha, double temperature) {
    std::vector<double> candidates(scores.size());
    const double highest = *std::max_element(scores.begin(), scores.end());
    law({scores, highest, temperature, alpha, candidates});
    const double sum = entmax_laws::accurateSum(scores);
    for (double& value : scores) value /= sum;
    return scores;
}

TEST(EntmaxLaw, the_exact_branches_agree_with_the_general_solvers) {
    Draw draw(10);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        const double temperature = draw.oneOf({0.3, 1.0, 5.0});
        using namespace entmax_laws;
        EXPECT_LT(largestDifference(byLaw(sparsemax, scores, 2, temperature),
                                    byLaw(smooth, scores, 2, temperature)), 1e-12);
        EXPECT_LT(largestDifference(byLaw(entmax15, scores, 1.5, temperature),
                                    byLaw(smooth, scores, 1.5, temperature)), 1e-12);
        EXPECT_LT(largestDifference(byLaw(softmax, scores, 1, temperature),
                                    byLaw(smooth, scores, 1 + 1e-14, temperature)), 1e-12);
    }
}

TEST(EntmaxLaw, the_two_general_solvers_agree_where_they_meet) {
    Draw draw(11);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        EXPECT_LT(largestDifference(byLaw(entmax_laws::smooth, scores, 2, 1),
                                    byLaw(entmax_laws::steep, scores, 2, 1)), 1e-12);
    }
}

/// The conditions that single out the solution: on the support p^(alpha-1) falls as fast as
/// (alpha-1) u, off it (alpha-1) u lies below the threshold.
void expectOptimal(const std::vector<double>& scores, const std::vector<double>& weights,
                   EntmaxParameters parameters) {
    const double alpha = parameters.alpha;
    const auto best = std::max_element(scores.begin(), scores.end());
    const auto top = static_cast<std::size_t>(best - scores.begin());
    const double highest = std::pow(weights[top], alpha - 1);
    double worst = 0;
    for (std::size_t k = 0; k < scores.size(); ++k) {
        const double fall = (alpha - 1) * ((scores[top] - scores[k]) / parameters.temperature);
        const double power = weights[k] > 0 ? std::pow(weights[k], alpha - 1) : 0.0;
        worst = std::max(worst, weights[k] > 0 ? std::abs(highest - power - fall) : highest - fall);
    }
    EXPECT_LT(worst, 1e-14 * alpha) << "alpha " << alpha;
}

TEST(EntmaxLaw, weights_satisfy_the_conditions_of_optimality) {
    Draw draw(16);
    for (int i = 0; i < manyCases; ++i) {
        const auto scores = draw.scores();
        const EntmaxParameters parameters{draw.uniform(1.01, 12), draw.oneOf({0.2, 1.0, 6.0})};
        expectOptimal(scores, solve(scores, parameters).weights, parameters);
    }
}

TEST(EntmaxLaw, float_rows_stay_close_to_a_double_run_on_the_same_scores) {
    Draw draw(12);
    EntmaxWorkspace workspace;
    for (int i = 0; i < manyCases; ++i) {
        const auto drawn = draw.scores();
        const std::vector<float> scores(drawn.begin(), drawn.end());
        const std::vector<double> widened(scores.begin(), scores.end());
        const EntmaxParameters parameters{draw.uniform(1, 10), draw.oneOf({0.05, 1.0, 3.0})};
        std::vector<float> weights(scores.size());
        entmax(std::span<const float>(scores), parameters, std::span<float>(weights), workspace);
        std::vector<double> mixed(scores.size());
        entmax(std::span<const float>(scores), parameters, std::span<double>(mixed), workspace);
        const auto expected = solve(widened, parameters).weights;
        EXPECT_EQ(mixed, expected);
        for (std::size_t k = 0; k < weights.size(); ++k) {
            EXPECT_NEAR(static_cast<double>(weights[k]), expected[k], 1e-7);
        }
    }
}

TEST(EntmaxLaw, rows_of_65536_keys_are_solved_like_short_ones) {
    Draw draw(13);
    std::vector<float> scores(65536);
    for (float& score : scores) score = static_cast<float>(draw.uniform(-4, 4));
    const std::vector<double> widened(scores.begin(), scores.end());
    const std::vector<double> equal(scores.size(), 0.7);
    for (const double alpha : {1.0, 1.0001, 1.05, 1.3, 1.5, 1.9, 2.0, 3.0, 20.0}) {
        for (const double temperature : {1.0, 1e4}) {
            const auto solved = solve(widened, {alpha, temperature});
            EXPECT_NEAR(solved.row.residual, 0, 1e-13);
            if (alpha > 1.01) expectOptimal(widened, solved.weights, {alpha, temperature});
        }
        const auto uniform = solve(equal, {alpha, 1});
        EXPECT_EQ(uniform.row.support, equal.size());
        for (const double weight : uniform.weights) ASSERT_EQ(weight, uniform.weights[0]);
        EXPECT_NEAR(uniform.weights[0], 1.0 / 65536, 1e-19);
    }
}

TEST(EntmaxLaw, scores_recovered_from_weights_give_the_weights_back) {
    Draw draw(14);
    for (int i = 0; i < manyCases; ++i) {
        const EntmaxParameters parameters{draw.uniform(1, 6), draw.oneOf({0.2, 1.0, 9.0})};
        const auto weights = solve(draw.scores(), parameters).weights;
        std::vector<double> scores(weights.size());
        scoresFromWeights(weights, parameters, scores);
        EXPECT_EQ(*std::max_element(scores.begin(), scores.end()), 0);
        EXPECT_LT(largestDifference(solve(scores, parameters).weights, weights), 2e-13);
    }
}

TEST(EntmaxLaw, softmax_weights_can_be_mapped_again_at_any_alpha_and_temperature) {
    Draw draw(15);
    for (int i = 0; i < manyCases; ++i) {
        auto scores = draw.scores();
        const auto weights = solve(scores, {1, 50}).weights;
        std::vector<double> recovered(weights.size());
        scoresFromWeights(weights, {1, 50}, recovered);
        const EntmaxParameters parameters{draw.uniform(1, 2), 2};
        EXPECT_LT(largestDifference(solve(recovered, parameters).weights, solve(scores, parameters).weights),
                  1e-11);
    }
}

}  // namespace
}  // namespace fovea
