// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that hold for every row, on rows that RapidCheck draws and, where one fails, makes smaller.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>
#include <sstream>
#include <vector>

#include "core/mechanism/entmax.h"
#include "core/mechanism/entmax_gradient.h"
#include "core/mechanism/entmax_laws.h"
#include "tests/core/mechanism/solved_row.h"

namespace fovea {
namespace {

using Row = std::vector<double>;

/// A row with at least one key that is not masked.
struct Problem {
    Row scores;
    EntmaxParameters parameters;
};

std::ostream& operator<<(std::ostream& out, const Problem& problem) {
    out.precision(17);
    out << "alpha " << problem.parameters.alpha << ", T " << problem.parameters.temperature << ", scores";
    for (const double score : problem.scores) out << " " << score;
    return out;
}

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double epsilon = std::numeric_limits<double>::epsilon();

rc::Gen<double> uniform(double low, double high) {
    constexpr int steps = 1 << 30;
    const auto whole = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, steps));
    return rc::gen::map(whole, [=](int step) { return low + (high - low) * step / steps; });
}

rc::Gen<double> logUniform(double low, double high) {
    return rc::gen::map(uniform(std::log(low), std::log(high)), [](double x) { return std::exp(x); });
}

rc::Gen<double> anyAlpha() {
    return rc::gen::oneOf(rc::gen::element(1.0, 1.5, 2.0), uniform(1, 2), uniform(2, 10),
                          rc::gen::map(logUniform(1e-8, 1e4), [](double x) { return 1 + x; }));
}

/// Below which no p^(2-alpha) leaves double.
rc::Gen<double> moderateAlpha() {
    return rc::gen::oneOf(rc::gen::element(1.0, 1.5, 2.0), uniform(1, 2), uniform(2, 10), uniform(10, 15),
                          rc::gen::map(logUniform(1e-8, 1), [](double x) { return 1 + x; }));
}

/// How far scores lie apart, and from 0.
rc::Gen<Row> anyScores() {
    const auto spread = rc::gen::element(1.0, 1.0, 0.01, 30.0);
    const auto plain = rc::gen::mapcat(spread, [](double s) {
        return rc::gen::nonEmpty(rc::gen::container<Row>(uniform(-s, s)));
    });
    const auto tied = rc::gen::nonEmpty(rc::gen::container<Row>(rc::gen::element(-0.5, 0.0, 0.25, 0.5)));
    const auto nearlyTied = rc::gen::nonEmpty(
        rc::gen::container<Row>(rc::gen::element(1.0, 1 + epsilon, 1 + 2 * epsilon, 1 - epsilon / 2, 0.7)));
    const auto single = rc::gen::container<Row>(1, uniform(-5, 5));
    const auto inHalf = rc::gen::map(rc::gen::nonEmpty(rc::gen::container<Row>(rc::gen::inRange(-8, 9))),
                                     [](Row row) {
                                         for (double& score : row) score /= 2;
                                         return row;
                                     });
    return rc::gen::oneOf(plain, plain, tied, nearlyTied, single, inHalf);
}

Row withMaskAndOffset(Row scores, const std::vector<bool>& hidden, double offset) {
    for (std::size_t i = 0; i < scores.size(); ++i) {
        scores[i] += offset;
        // The first key stays, so that the row is not empty.
        if (i > 0 && i < hidden.size() && hidden[i]) scores[i] = i % 2 ? -infinity : -1e31;
    }
    return scores;
}

rc::Gen<Row> anyRow() {
    const auto hidden = rc::gen::oneOf(rc::gen::just(std::vector<bool>()),
                                       rc::gen::container<std::vector<bool>>(rc::gen::arbitrary<bool>()));
    const auto offset = rc::gen::element(0.0, 0.0, -1e4, 1e8, 1e15);
    return rc::gen::apply(withMaskAndOffset, anyScores(), hidden, offset);
}

rc::Gen<Problem> anyProblem(rc::Gen<double> alpha) {
    const auto temperature = rc::gen::element(1.0, 1.0, 0.05, 0.8, 20.0);
    return rc::gen::apply(
        [](Row scores, double a, double t) { return Problem{std::move(scores), {a, t}}; }, anyRow(),
        std::move(alpha), temperature);
}

/// Checks `property` as RC_GTEST_PROP does, with a test's own name.
template <class Property>
void holds(Property property) {
    const rc::detail::TestParams parameters = rc::detail::configuration().testParams;
    rc::detail::TestMetadata metadata;
    metadata.id = testing::UnitTest::GetInstance()->current_test_info()->name();
    const auto result = rc::detail::checkTestable(property, metadata, parameters);
    if (result.template is<rc::detail::SuccessResult>()) return;
    std::ostringstream text;
    rc::detail::printResultMessage(result, text);
    FAIL() << text.str();
}

Row weightsOf(const Problem& problem) { return test::solve(problem.scores, problem.parameters).weights; }

double largestDifference(const Row& a, const Row& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
    return largest;
}

double inner(const Row& a, const Row& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

bool isMasked(double score) { return score <= maskedScore; }

TEST(EntmaxProperty, rows_sum_to_one_and_have_no_negative_weight) {
    holds([] {
        const Problem problem = *anyProblem(anyAlpha());
        const auto solved = test::solve(problem.scores, problem.parameters);
        RC_ASSERT(solved.row.state == RowState::Ok);
        RC_ASSERT(*std::min_element(solved.weights.begin(), solved.weights.end()) >= 0);
        RC_ASSERT(std::abs(solved.row.residual) < 1e-13);
        for (std::size_t i = 0; i < problem.scores.size(); ++i) {
            if (isMasked(problem.scores[i])) RC_ASSERT(solved.weights[i] == 0);
        }
    });
}

TEST(EntmaxProperty, a_constant_added_to_all_scores_changes_nothing) {
    holds([] {
        Problem problem = *anyProblem(anyAlpha());
        // Multiples of 2^-10 below 2^30: their sums with the shift are exact.
        for (double& score : problem.scores) {
            if (!isMasked(score)) score = std::fmod(std::round(score * 1024) / 1024, 1 << 30);
        }
        const auto before = test::solve(problem.scores, problem.parameters);
        const int shift = *rc::gen::inRange(-(1 << 20), 1 << 20);
        for (double& score : problem.scores) score += isMasked(score) ? 0 : shift;
        const auto after = test::solve(problem.scores, problem.parameters);
        RC_ASSERT(before.weights == after.weights);
        RC_ASSERT(before.row.offset == after.row.offset);
    });
}

TEST(EntmaxProperty, permuted_scores_give_permuted_weights_and_gradients) {
    holds([] {
        const Problem problem = *anyProblem(anyAlpha());
        std::vector<std::size_t> order(problem.scores.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const auto keys = *rc::gen::container<std::vector<int>>(order.size(), rc::gen::arbitrary<int>());
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return keys[i]; });
        Problem permuted = problem;
        for (std::size_t i = 0; i < order.size(); ++i) permuted.scores[i] = problem.scores[order[i]];
        const Row expected = weightsOf(problem);
        const Row found = weightsOf(permuted);
        for (std::size_t i = 0; i < order.size(); ++i) {
            RC_ASSERT(std::abs(found[i] - expected[order[i]]) <= 1e-14);
        }
    });
}

TEST(EntmaxProperty, higher_scores_never_weigh_less_and_ties_weigh_the_same) {
    holds([] {
        const Problem problem = *anyProblem(anyAlpha());
        const Row weights = weightsOf(problem);
        for (std::size_t i = 0; i < weights.size(); ++i) {
            for (std::size_t j = 0; j < weights.size(); ++j) {
                if (problem.scores[i] > problem.scores[j]) RC_ASSERT(weights[i] >= weights[j]);
                if (problem.scores[i] == problem.scores[j]) RC_ASSERT(weights[i] == weights[j]);
            }
        }
    });
}

TEST(EntmaxProperty, the_support_never_grows_with_alpha) {
    holds([] {
        Problem problem = *anyProblem(anyAlpha());
        const std::size_t before = test::solve(problem.scores, problem.parameters).row.support;
        problem.parameters.alpha += *logUniform(1e-3, 10);
        RC_ASSERT(test::solve(problem.scores, problem.parameters).row.support <= before);
    });
}

TEST(EntmaxProperty, masked_keys_change_nothing_for_the_others) {
    holds([] {
        const Problem problem = *anyProblem(anyAlpha());
        Problem shorter{{}, problem.parameters};
        for (const double score : problem.scores) {
            if (!isMasked(score)) shorter.scores.push_back(score);
        }
        const Row expected = weightsOf(shorter);
        const Row found = weightsOf(problem);
        std::size_t next = 0;
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (!isMasked(problem.scores[i])) RC_ASSERT(std::abs(found[i] - expected[next++]) <= 1e-14);
        }
    });
}

TEST(EntmaxProperty, a_temperature_divides_the_scores) {
    holds([] {
        Problem problem = *anyProblem(anyAlpha());
        const int exponent = *rc::gen::inRange(-6, 7);
        problem.parameters.temperature = std::ldexp(1.0, exponent);
        Problem divided{problem.scores, {problem.parameters.alpha, 1}};
        for (double& score : divided.scores) score = std::ldexp(score, -exponent);
        // Masks at -1e31 may leave their range.
        for (std::size_t i = 0; i < divided.scores.size(); ++i) {
            if (isMasked(problem.scores[i])) divided.scores[i] = -infinity;
        }
        RC_ASSERT(weightsOf(problem) == weightsOf(divided));
    });
}

TEST(EntmaxProperty, any_temperature_divides_the_scores_within_rounding) {
    holds([] {
        Problem problem = *anyProblem(uniform(1, 2));
        problem.parameters.temperature = *logUniform(0.01, 100);
        Problem divided{problem.scores, {problem.parameters.alpha, 1}};
        double largest = 0;
        for (double& score : divided.scores) {
            if (isMasked(score)) continue;
            score /= problem.parameters.temperature;
            largest = std::max(largest, std::abs(score));
        }
        // Up to alpha = 2 weights move by no more than scores do.
        RC_ASSERT(largestDifference(weightsOf(problem), weightsOf(divided)) <=
                  4 * epsilon * (1 + largest) + 1e-13);
    });
}

/// Weights by one law alone, on the unmasked keys.
Row byLaw(entmax_laws::Solution (*law)(const entmax_laws::Row&), const Problem& problem, double alpha) {
    Row values;
    for (const double score : problem.scores) values.push_back(isMasked(score) ? -infinity : score);
    std::vector<double> candidates(values.size());
    const double highest = *std::max_element(values.begin(), values.end());
    law({values, highest, problem.parameters.temperature, alpha, candidates});
    const double sum = entmax_laws::accurateSum(values);
    for (double& value : values) value /= sum;
    return values;
}

TEST(EntmaxProperty, closed_forms_agree_with_the_general_solvers) {
    holds([] {
        const Problem problem = *anyProblem(rc::gen::just(1.0));
        using namespace entmax_laws;
        const auto apart = [&](auto one, double alpha, auto other, double otherAlpha) {
            return largestDifference(byLaw(one, problem, alpha), byLaw(other, problem, otherAlpha));
        };
        RC_ASSERT(apart(entmax_laws::softmax, 1, smooth, 1 + 1e-14) < 1e-12);
        RC_ASSERT(apart(entmax15, 1.5, smooth, 1.5) < 1e-12);
        RC_ASSERT(apart(sparsemax, 2, smooth, 2) < 1e-12);
        RC_ASSERT(apart(sparsemax, 2, steep, 2) < 1e-12);
    });
}

TEST(EntmaxProperty, scores_recovered_from_weights_give_the_weights_back) {
    holds([] {
        const Problem problem = *anyProblem(uniform(1, 6));
        const Row weights = weightsOf(problem);
        Problem recovered = problem;
        scoresFromWeights(weights, problem.parameters, recovered.scores);
        RC_ASSERT(*std::max_element(recovered.scores.begin(), recovered.scores.end()) == 0);
        RC_ASSERT(largestDifference(weightsOf(recovered), weights) < 1e-12);
    });
}

/// A problem with its weights and the Jacobian as columns of products with unit vectors.
struct Derived {
    explicit Derived(const Problem& at) : problem(at), weights(weightsOf(at)) {}

    Row times(const Row& direction) const {
        Row product(direction.size());
        entmaxJacobianProduct(point(), direction, product);
        return product;
    }
    EntmaxPoint<double> point() const { return {problem.scores, weights, problem.parameters}; }
    /// The size of J: the largest p^(2-alpha)/T of the support but for the one that cancels.
    double size() const {
        double largest = 0;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            Row unit(weights.size());
            unit[i] = 1;
            largest = std::max(largest, times(unit)[i]);
        }
        return largest;
    }

    Problem problem;
    Row weights;
};

Row directionFor(const Derived& at) {
    return *rc::gen::container<Row>(at.weights.size(), uniform(-2, 2));
}

TEST(EntmaxProperty, the_jacobian_is_symmetric_and_its_rows_sum_to_zero) {
    holds([] {
        const Derived at(*anyProblem(moderateAlpha()));
        const std::size_t n = at.weights.size();
        constexpr double least = 1e-300;  // denormal numbers have fewer digits
        std::vector<Row> columns;
        for (std::size_t j = 0; j < n; ++j) {
            Row unit(n);
            unit[j] = 1;
            columns.push_back(at.times(unit));
        }
        for (std::size_t i = 0; i < n; ++i) {
            double sum = 0, size = 0;
            for (std::size_t j = 0; j < n; ++j) {
                const double one = columns[j][i], other = columns[i][j];
                RC_ASSERT(std::abs(one - other) <= 1e-13 * std::max(std::abs(one), std::abs(other)) + least);
                sum += one;
                size += std::abs(one);
            }
            RC_ASSERT(std::abs(sum) <= 1e-13 * size + least);
            RC_ASSERT(columns[i][i] >= 0);
        }
        RC_ASSERT(at.times(Row(n, 3.0)) == Row(n, 0.0));
    });
}

TEST(EntmaxProperty, products_with_the_jacobian_and_its_transpose_agree_and_are_not_negative) {
    holds([] {
        const Derived at(*anyProblem(moderateAlpha()));
        const Row u = directionFor(at), v = directionFor(at);
        const double tolerance = 1e-13 * static_cast<double>(u.size()) * at.size();
        RC_ASSERT(std::abs(inner(u, at.times(v)) - inner(at.times(u), v)) <= 8 * tolerance + 1e-300);
        RC_ASSERT(inner(v, at.times(v)) >= -tolerance - 1e-300);
    });
}

TEST(EntmaxProperty, all_derivatives_sum_to_zero_and_meet_in_the_gradient) {
    holds([] {
        const Derived at(*anyProblem(uniform(1, 4)));
        const Row upstream = directionFor(at);
        Row gradient(upstream.size()), byAlpha(upstream.size()), byTemperature(upstream.size());
        const auto found = entmaxGradient(at.point(), upstream, gradient);
        entmaxByAlpha(at.point(), byAlpha);
        entmaxByTemperature(at.point(), byTemperature);
        RC_ASSERT(gradient == at.times(upstream));
        const auto sizeOf = [](const Row& row) {
            return std::accumulate(row.begin(), row.end(), 0.0,
                                   [](double sum, double value) { return sum + std::abs(value); });
        };
        const Row ones(upstream.size(), 1.0);
        for (const Row* row : {&gradient, &byAlpha, &byTemperature}) {
            RC_ASSERT(std::abs(inner(ones, *row)) <= 1e-13 * sizeOf(*row) + 1e-300);
        }
        RC_ASSERT(std::abs(found.alpha - inner(upstream, byAlpha)) <=
                  1e-12 * (sizeOf(byAlpha) + sizeOf(gradient)));
        RC_ASSERT(std::abs(found.temperature - inner(upstream, byTemperature)) <=
                  1e-12 * (sizeOf(byTemperature) + sizeOf(gradient) / at.problem.parameters.temperature));
    });
}

}  // namespace
}  // namespace fovea
