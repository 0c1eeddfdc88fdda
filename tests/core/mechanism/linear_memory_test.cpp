// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/linear_memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/mechanism/linear_memory_plan.h"
#include "core/support/precondition.h"
#include "tests/core/mechanism/plain_memory.h"

namespace fovea {
namespace {

using test::normalMatrix;
using test::plainGradient;
using test::randomTask;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

void expectNear(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected, double tolerance,
                const char* name) {
    ASSERT_EQ(found.rows(), expected.rows()) << name;
    ASSERT_EQ(found.cols(), expected.cols()) << name;
    if (expected.size() == 0) return;
    const double scale = std::max(1.0, expected.cwiseAbs().maxCoeff());
    const double worst = (found - expected).cwiseAbs().maxCoeff();
    EXPECT_TRUE(worst <= tolerance * scale) << name << ": " << worst << " beside " << scale;
}

void expectNear(const MemoryGradient& found, const MemoryGradient& expected, double tolerance) {
    expectNear(found.states, expected.states, tolerance, "states");
    expectNear(found.queries, expected.queries, tolerance, "queries");
    if (found.decay.size() > 0) expectNear(found.decay, expected.decay, tolerance, "decay");
    if (found.input.size() > 0) expectNear(found.input, expected.input, tolerance, "input");
}

TEST(LinearMemory, is_the_sum_of_outer_products) {
    RowMatrixD states(2, 2);
    states << 1, 2, 3, -1;
    LinearMemory memory(2);
    memory.append(states);
    Eigen::Matrix2d expected;
    expected << 10, -1, -1, 5;
    EXPECT_EQ(memory.matrix(), expected);
    EXPECT_EQ(memory.lookup(Eigen::VectorXd(Eigen::Vector2d(1, 0))), Eigen::Vector2d(10, -1));
}

TEST(LinearMemory, of_long_sequences_meets_the_recursion_token_by_token) {
    for (const Eigen::Index n : {0, 1, 2, 255, 256, 257, 700}) {
        for (const bool rated : {false, true}) {
            const auto task = randomTask(n, 5, 3, true, rated, 1);
            LinearMemory memory(5);
            memory.append(memoryFeatures(task.input.states, task.input.gate), task.input.rates);
            const auto plain = test::plainMemories(task.input);
            expectNear(memory.matrix(), plain.back(), 1e-13, "C");
            EXPECT_EQ(memory.matrix(), memory.matrix().transpose());
            const auto found = lookUp(task.input, task.lookups);
            ASSERT_TRUE(found) << found.error().message;
            for (Eigen::Index i = 0; i < 3; ++i) {
                const auto time = static_cast<std::size_t>(task.lookups.times[static_cast<std::size_t>(i)]);
                expectNear(found->row(i), task.lookups.queries.row(i) * plain[time], 1e-13, "R");
            }
        }
    }
}

TEST(LinearMemory, goes_on_from_a_memory_that_was_kept) {
    const auto task = randomTask(20, 4, 1, false, true, 2);
    const auto& [decay, input] = task.input.rates;
    LinearMemory first(4), whole(4);
    whole.append(task.input.states, task.input.rates);
    first.append(task.input.states.topRows(7), {decay->head(7), input->head(7)});
    LinearMemory second(first.matrix());
    second.append(task.input.states.bottomRows(13), {decay->tail(13), input->tail(13)});
    expectNear(second.matrix(), whole.matrix(), 1e-14, "C");
}

TEST(LinearMemory, with_a_gate_of_one_equals_that_without_a_gate) {
    auto task = randomTask(30, 4, 5, false, true, 3);
    const auto without = lookUp(task.input, task.lookups);
    for (const double bias : {40.0, 1e4, infinity}) {
        task.input.gate = MemoryGate{Eigen::MatrixXd::Zero(4, 4), Eigen::VectorXd::Constant(4, bias)};
        EXPECT_EQ(*lookUp(task.input, task.lookups), *without) << bias;
        const auto gradient = memoryGradient(task.input, task.lookups, task.upstream);
        expectNear(gradient->states, plainGradient(task).states, 1e-12, "states");
    }
    task.input.gate->bias.setConstant(-infinity);
    EXPECT_EQ(lookUp(task.input, task.lookups)->cwiseAbs().maxCoeff(), 0);
}

TEST(LinearMemory, gates_by_the_sigmoid_of_each_element) {
    RowMatrixD states(1, 2);
    states << 2, -3;
    MemoryGate gate{Eigen::MatrixXd(2, 2), Eigen::VectorXd(2)};
    gate.weight << 1, 0.5, -2, 0;
    gate.bias << 0.25, -800;
    const RowMatrixD features = memoryFeatures(states, gate);
    EXPECT_NEAR(features(0, 0), 2 / (1 + std::exp(-(2 - 1.5 + 0.25))), 1e-15);
    EXPECT_NEAR(features(0, 1), 0, 1e-300);
}

TEST(LinearMemory, survives_products_of_decays_beyond_the_range_of_double) {
    MemoryInput input{RowMatrixD(4, 1), std::nullopt, {}};
    input.states << 1e-160, 0, 0, 1;
    input.rates.decay = Eigen::Vector4d(1, 1e200, 1e200, 1e-90);
    const auto plain = test::plainMemories(input);
    LinearMemory memory(1);
    memory.append(input.states, input.rates);
    EXPECT_NEAR(memory.matrix()(0, 0) / plain.back()(0, 0), 1, 1e-14);
    EXPECT_TRUE(std::isfinite(memory.matrix()(0, 0)));
}

TEST(LinearMemory, without_tokens_finds_nothing) {
    const auto task = randomTask(0, 3, 2, true, true, 4);
    EXPECT_EQ(*lookUp(task.input, task.lookups), RowMatrixD::Zero(2, 3));
    const auto gradient = memoryGradient(task.input, task.lookups, task.upstream);
    EXPECT_EQ(gradient->queries, RowMatrixD::Zero(2, 3));
    EXPECT_EQ(gradient->gateWeight, Eigen::MatrixXd::Zero(3, 3));
}

TEST(LinearMemory, weights_for_display_keep_signs_and_zeros) {
    RowMatrixD weights(4, 3);
    weights << 1, -2, 1, 0, 0, 0, 1e308, -1e308, 1e308, 0, 5e-324, 0;
    const RowMatrixD shown = normalisedByMagnitude(weights);
    EXPECT_EQ(shown.row(0), Eigen::RowVector3d(0.25, -0.5, 0.25));
    EXPECT_EQ(shown.row(1), Eigen::RowVector3d::Zero());
    EXPECT_NEAR(shown(2, 1), -1.0 / 3, 1e-15);
    EXPECT_EQ(shown(3, 1), 1);
    EXPECT_EQ(normalisedByMagnitude(RowMatrixD(2, 0)).size(), 0);
}

TEST(LinearMemory, refuses_shapes_and_times_that_do_not_fit) {
    const auto task = randomTask(6, 3, 2, true, true, 5);
    const auto refusal = [&](const MemoryInput& input, const MemoryLookups& lookups) {
        const auto found = lookUp(input, lookups);
        const auto gradient = memoryGradient(input, lookups, task.upstream);
        EXPECT_FALSE(gradient);
        return found ? std::string("(none)") : found.error().message;
    };
    auto input = task.input;
    input.gate->weight = Eigen::MatrixXd(3, 4);
    EXPECT_EQ(refusal(input, task.lookups), "gate weight: expected shape [3, 3], found [3, 4]");
    input = task.input;
    input.gate->bias = Eigen::VectorXd(2);
    EXPECT_EQ(refusal(input, task.lookups), "gate bias: expected shape [3], found [2]");
    input = task.input;
    input.rates.decay = Eigen::VectorXd(5);
    EXPECT_EQ(refusal(input, task.lookups), "decay: expected shape [6], found [5]");
    input = task.input;
    input.rates.input = Eigen::VectorXd(7);
    EXPECT_EQ(refusal(input, task.lookups), "input: expected shape [6], found [7]");
    auto lookups = task.lookups;
    lookups.queries = RowMatrixD(2, 4);
    EXPECT_EQ(refusal(task.input, lookups), "queries: expected shape [2, 3], found [2, 4]");
    lookups = task.lookups;
    lookups.times = {1};
    EXPECT_EQ(refusal(task.input, lookups), "times: expected shape [2], found [1]");
    for (const Eigen::Index time : {-1, 7}) {
        lookups.times = {0, time};
        EXPECT_EQ(refusal(task.input, lookups),
                  "times: query 1: expected 0 to 6 tokens, found " + std::to_string(time));
    }
    EXPECT_FALSE(memoryGradient(task.input, task.lookups, RowMatrixD(2, 4)));
    LinearMemory memory(3);
    EXPECT_THROW(memory.appendToken(Eigen::VectorXd(2)), PreconditionError);
    EXPECT_THROW(memory.append(RowMatrixD(2, 4)), PreconditionError);
    EXPECT_THROW(LinearMemory(Eigen::MatrixXd(2, 3)), PreconditionError);
}

TEST(LinearMemoryGradient, of_every_recovery_agrees_with_the_plain_method) {
    for (const Eigen::Index n : {1, 2, 10, 64, 300}) {
        for (const double decay : {1.0, 0.97, 0.7, 0.2, -0.9, 1.05}) {
            auto task = randomTask(n, 4, 7, false, true, static_cast<std::uint64_t>(n));
            task.input.rates.decay->setConstant(decay);
            const auto expected = plainGradient(task);
            for (const auto recovery :
                 {MemoryRecovery::Automatic, MemoryRecovery::Inversion, MemoryRecovery::Checkpoints}) {
                SCOPED_TRACE(testing::Message() << n << " tokens, decay " << decay << ", recovery "
                                                << static_cast<int>(recovery));
                const auto found = memoryGradient(task.input, task.lookups, task.upstream, recovery);
                ASSERT_TRUE(found) << found.error().message;
                expectNear(*found, expected, 1e-12);
            }
        }
    }
}

TEST(LinearMemoryGradient, without_rates_agrees_with_the_plain_method) {
    for (const Eigen::Index n : {1, 30, 300}) {
        auto task = randomTask(n, 4, 7, false, false, 9);
        expectNear(*memoryGradient(task.input, task.lookups, task.upstream), plainGradient(task), 1e-12);
        task.lookups.times.clear();
        expectNear(*memoryGradient(task.input, task.lookups, task.upstream), plainGradient(task), 1e-12);
    }
}

TEST(LinearMemoryGradient, keeps_checkpoints_where_inversion_loses_digits) {
    const auto all = [](double a, Eigen::Index n) {
        return Eigen::VectorXd(Eigen::VectorXd::Constant(n, a));
    };
    EXPECT_FALSE(inversionLosesDigits(all(1, 1000)));
    EXPECT_FALSE(inversionLosesDigits(all(0.1, 5)));
    EXPECT_TRUE(inversionLosesDigits(all(0.1, 7)));
    EXPECT_TRUE(inversionLosesDigits(all(-0.1, 7)));
    EXPECT_TRUE(inversionLosesDigits(Eigen::Vector3d(1, 0, 1)));
    // One narrow stretch, made up for by the rest.
    EXPECT_TRUE(inversionLosesDigits(Eigen::Vector3d(1e7, 1e-7, 1e7)));
    EXPECT_FALSE(inversionLosesDigits(Eigen::VectorXd()));
}

TEST(LinearMemoryGradient, of_wide_states_and_few_lookups_agrees_with_the_plain_method) {
    for (const Eigen::Index m : {0, 1, 2, 60}) {
        for (const double decay : {1.0, 0.9, 0.3}) {
            auto task = randomTask(80, 70, m, false, true, 11);
            task.input.rates.decay->setConstant(decay);
            for (const auto recovery : {MemoryRecovery::Inversion, MemoryRecovery::Checkpoints}) {
                const auto found = memoryGradient(task.input, task.lookups, task.upstream, recovery);
                ASSERT_TRUE(found);
                expectNear(*found, plainGradient(task), 1e-12);
            }
        }
    }
}

TEST(LinearMemoryGradient, of_states_without_width_is_empty) {
    const auto task = randomTask(100, 0, 60, true, true, 12);
    EXPECT_EQ(lookUp(task.input, task.lookups)->size(), 0);
    const auto found = memoryGradient(task.input, task.lookups, task.upstream);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->states.rows(), 100);
    EXPECT_EQ(found->queries.rows(), 60);
    EXPECT_EQ(found->decay, Eigen::VectorXd::Zero(100));
}

TEST(LinearMemoryGradient, keeps_few_memories_where_tokens_can_be_undone) {
    auto task = randomTask(900, 3, 40, false, true, 10);
    const auto keptBy = [&](double decay, MemoryRecovery recovery) {
        task.input.rates.decay->setConstant(decay);
        const MemoryPlan plan = planMemory(task.input, task.lookups, recovery);
        Eigen::Index last = 0;
        std::size_t kept = 0, lookups = 0;
        for (const auto& segment : plan.segments) {
            EXPECT_EQ(segment.begin, last);
            EXPECT_GT(segment.end, segment.begin);
            last = segment.end;
            kept += segment.kept;
            lookups += segment.lookups.size();
        }
        EXPECT_EQ(last, *std::max_element(task.lookups.times.begin(), task.lookups.times.end()));
        EXPECT_EQ(lookups, 40u);
        return kept;
    };
    task.lookups.times[0] = 900;
    EXPECT_EQ(keptBy(1, MemoryRecovery::Automatic), 1u);
    EXPECT_LE(keptBy(0.985, MemoryRecovery::Automatic), 3u);
    EXPECT_EQ(keptBy(0.98, MemoryRecovery::Automatic), 30u);
    EXPECT_EQ(keptBy(1, MemoryRecovery::Checkpoints), 30u);
    task.input.rates.decay.reset();
    EXPECT_FALSE(planMemory(task.input, task.lookups, MemoryRecovery::Checkpoints).segments[0].kept);
}

TEST(LinearMemoryGradient, survives_decays_of_zero_and_tiny_ones) {
    for (const double bad : {0.0, 1e-9, -1e-12}) {
        for (const Eigen::Index n : {1, 9, 50}) {
            auto task = randomTask(n, 3, 12, false, true, 6);
            for (Eigen::Index t = 0; t < n; t += 4) (*task.input.rates.decay)(t) = bad;
            for (const auto recovery :
                 {MemoryRecovery::Automatic, MemoryRecovery::Inversion, MemoryRecovery::Checkpoints}) {
                const auto found = memoryGradient(task.input, task.lookups, task.upstream, recovery);
                ASSERT_TRUE(found);
                expectNear(*found, plainGradient(task), 1e-12);
            }
        }
    }
}

TEST(LinearMemoryGradient, survives_decays_that_shrink_and_grow_in_turn) {
    auto task = randomTask(200, 3, 40, false, true, 7);
    for (Eigen::Index t = 0; t < 200; ++t) (*task.input.rates.decay)(t) = t % 2 == 0 ? 1e-5 : 1e5;
    for (const auto recovery : {MemoryRecovery::Automatic, MemoryRecovery::Inversion}) {
        const auto found = memoryGradient(task.input, task.lookups, task.upstream, recovery);
        expectNear(*found, plainGradient(task), 1e-12);
    }
}

TEST(LinearMemoryGradient, spreads_nan_rather_than_hiding_it) {
    auto task = randomTask(5, 3, 2, true, true, 8);
    task.input.states(2, 1) = nan;
    task.lookups.times = {5, 5};
    EXPECT_TRUE(std::isnan((*lookUp(task.input, task.lookups))(0, 0)));
    EXPECT_TRUE(std::isnan(memoryGradient(task.input, task.lookups, task.upstream)->states(2, 0)));
}

TEST(LinearMemory, answers_many_float_queries_as_it_answers_one) {
    for (const Eigen::Index width : {1, 3, 15, 16, 17, 31, 32, 33, 64, 100}) {
        LinearMemory memory(width);
        memory.append(RowMatrixD::Random(20, width));
        for (const Eigen::Index queries : {0, 1, 7, 8, 9, 17}) {
            const RowMatrixF asked = RowMatrixF::Random(queries, width);
            const RowMatrixF found = memory.lookup(asked);
            const RowMatrixD exact = memory.lookup(RowMatrixD(asked.cast<double>()));
            ASSERT_EQ(found.rows(), queries);
            if (queries == 0) continue;
            const double largest = std::max(1.0, exact.cwiseAbs().maxCoeff());
            EXPECT_LE((found.cast<double>() - exact).cwiseAbs().maxCoeff(), 1e-5 * largest)
                << width << " wide, " << queries << " queries";
        }
    }
}

}  // namespace
}  // namespace fovea
