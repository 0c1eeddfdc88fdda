// SPDX-License-Identifier: GPL-3.0-or-later
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/core/mechanism/plain_memory.h"

namespace fovea {
namespace {

using test::lossOf;
using test::MemoryTask;

MemoryTask anyTask(bool rated) {
    const auto n = *rc::gen::inRange<Eigen::Index>(0, 60);
    const auto k = *rc::gen::inRange<Eigen::Index>(1, 9);
    const auto m = *rc::gen::inRange<Eigen::Index>(0, 6);
    const bool gated = *rc::gen::arbitrary<bool>();
    return test::randomTask(n, k, m, gated, rated, *rc::gen::arbitrary<std::uint64_t>());
}

/// Relative to the largest entry, or to 1.
template <class A, class B>
double distance(const A& found, const B& expected) {
    if (found.rows() != expected.rows() || found.cols() != expected.cols()) return 1e300;
    if (expected.size() == 0) return 0;
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    return (found - expected).cwiseAbs().maxCoeff() / scale;
}

/// Decays and inputs may make the sum much smaller than its terms.
double termScale(const MemoryTask& task) {
    auto magnitudes = task;
    magnitudes.input.states = memoryFeatures(task.input.states, task.input.gate).cwiseAbs();
    magnitudes.input.gate.reset();
    if (auto& input = magnitudes.input.rates.input) input = Eigen::VectorXd(input->cwiseAbs());
    magnitudes.lookups.queries = task.lookups.queries.cwiseAbs();
    const RowMatrixD found = *lookUp(magnitudes.input, magnitudes.lookups);
    return found.size() == 0 ? 1 : std::max(1.0, found.maxCoeff());
}

RC_GTEST_PROP(LinearMemoryLaw, pieces_with_the_state_carried_over_equal_the_whole, ()) {
    const auto task = anyTask(*rc::gen::arbitrary<bool>());
    const RowMatrixD features = memoryFeatures(task.input.states, task.input.gate);
    const Eigen::Index n = features.rows();
    LinearMemory whole(features.cols()), pieces(features.cols());
    whole.append(features, task.input.rates);
    for (Eigen::Index begin = 0; begin < n;) {
        const Eigen::Index count = *rc::gen::inRange<Eigen::Index>(1, n - begin + 1);
        MemoryRates rates;
        if (task.input.rates.decay) rates.decay = task.input.rates.decay->segment(begin, count);
        if (task.input.rates.input) rates.input = task.input.rates.input->segment(begin, count);
        pieces.append(features.middleRows(begin, count), rates);
        begin += count;
    }
    RC_ASSERT(distance(pieces.matrix(), whole.matrix()) < 1e-13);
}

RC_GTEST_PROP(LinearMemoryLaw, token_weights_reproduce_the_lookups, ()) {
    const auto task = anyTask(*rc::gen::arbitrary<bool>());
    const RowMatrixD features = memoryFeatures(task.input.states, task.input.gate);
    const RowMatrixD weights = memoryTokenWeights(features, task.input.rates, task.lookups);
    const auto found = lookUp(task.input, task.lookups);
    RC_ASSERT(found.has_value());
    RC_ASSERT(distance(weights * features, *found) < 1e-12 * termScale(task));
    for (Eigen::Index i = 0; i < weights.rows(); ++i) {
        const auto time = task.lookups.times[static_cast<std::size_t>(i)];
        RC_ASSERT((weights.row(i).tail(features.rows() - time).array() == 0).all());
    }
}

RC_GTEST_PROP(LinearMemoryLaw, lookups_are_linear_in_the_query, ()) {
    auto task = anyTask(*rc::gen::arbitrary<bool>());
    std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
    const RowMatrixD other =
        test::normalMatrix(task.lookups.queries.rows(), task.input.states.cols(), engine);
    const auto of = [&](const RowMatrixD& queries) {
        return *lookUp(task.input, {queries, task.lookups.times});
    };
    const RowMatrixD& queries = task.lookups.queries;
    const RowMatrixD expected = 2.5 * of(queries) - 0.75 * of(other);
    RC_ASSERT(distance(of(2.5 * queries - 0.75 * other), expected) < 1e-12 * termScale(task));
}

RC_GTEST_PROP(LinearMemoryLaw, without_decay_the_order_of_tokens_does_not_matter, ()) {
    const auto task = anyTask(false);
    const Eigen::Index n = task.input.states.rows();
    std::vector<Eigen::Index> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    std::mt19937_64 engine(*rc::gen::arbitrary<std::uint64_t>());
    std::shuffle(order.begin(), order.end(), engine);
    auto shuffled = task.input;
    for (Eigen::Index t = 0; t < n; ++t)
        shuffled.states.row(t) = task.input.states.row(order[static_cast<std::size_t>(t)]);
    const MemoryLookups afterAll{task.lookups.queries, {}};
    RC_ASSERT(distance(*lookUp(shuffled, afterAll), *lookUp(task.input, afterAll)) < 1e-12);
}

RC_GTEST_PROP(LinearMemoryLaw, gradients_agree_with_the_plain_recursion, ()) {
    auto task = anyTask(*rc::gen::arbitrary<bool>());
    task.input.gate.reset();
    if (task.input.rates.decay && *rc::gen::arbitrary<bool>()) {
        const Eigen::Index n = task.input.states.rows();
        for (Eigen::Index t = 0; t < n; t += 5)
            (*task.input.rates.decay)(t) = *rc::gen::element(0.0, 1e-8, -2.0);
    }
    const auto expected = test::plainGradient(task);
    const auto found = memoryGradient(task.input, task.lookups, task.upstream);
    RC_ASSERT(found.has_value());
    RC_ASSERT(distance(found->states, expected.states) < 1e-11);
    RC_ASSERT(distance(found->queries, expected.queries) < 1e-11);
    if (!task.input.rates.decay) return;
    RC_ASSERT(distance(found->decay, expected.decay) < 1e-11);
    RC_ASSERT(distance(found->input, expected.input) < 1e-11);
}

/// Central differences of L by every number of `values`, beside the gradient.
template <class Values, class Gradient>
double differenceError(MemoryTask& task, Values& values, const Gradient& gradient) {
    constexpr double step = 1e-5;
    double worst = 0;
    const double scale = std::max(1.0, gradient.size() == 0 ? 0 : gradient.cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < values.rows(); ++i) {
        for (Eigen::Index j = 0; j < values.cols(); ++j) {
            const double kept = values(i, j);
            values(i, j) = kept + step;
            const double above = lossOf(task);
            values(i, j) = kept - step;
            const double below = lossOf(task);
            values(i, j) = kept;
            worst = std::max(worst, std::abs((above - below) / (2 * step) - gradient(i, j)) / scale);
        }
    }
    return worst;
}

RC_GTEST_PROP(LinearMemoryLaw, gradients_agree_with_finite_differences, ()) {
    const auto n = *rc::gen::inRange<Eigen::Index>(1, 12);
    const auto k = *rc::gen::inRange<Eigen::Index>(1, 4);
    const auto m = *rc::gen::inRange<Eigen::Index>(1, 4);
    auto task = test::randomTask(n, k, m, true, true, *rc::gen::arbitrary<std::uint64_t>());
    const auto found = memoryGradient(task.input, task.lookups, task.upstream);
    RC_ASSERT(found.has_value());
    // Central differences of step 1e-5 are good to 1e-10 of the loss's third derivatives and to its
    // rounding over the step.
    const double tolerance = 1e-7 * termScale(task);
    RC_ASSERT(differenceError(task, task.input.states, found->states) < tolerance);
    RC_ASSERT(differenceError(task, task.lookups.queries, found->queries) < tolerance);
    RC_ASSERT(differenceError(task, task.input.gate->weight, found->gateWeight) < tolerance);
    RC_ASSERT(differenceError(task, task.input.gate->bias, found->gateBias) < tolerance);
    RC_ASSERT(differenceError(task, *task.input.rates.decay, found->decay) < tolerance);
    RC_ASSERT(differenceError(task, *task.input.rates.input, found->input) < tolerance);
}

}  // namespace
}  // namespace fovea
