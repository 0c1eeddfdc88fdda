// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/entmax_function.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/mechanism/entmax.h"
#include "tests/core/training/autograd/operator_checks.h"

namespace fovea::training {
namespace {

using test::differences;
using test::largestDifference;
using test::learned;
using test::random;
using test::refusal;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

at::Tensor number(double value) { return at::scalar_tensor(value, at::kDouble); }

at::Tensor numbers(std::vector<double> values) { return at::tensor(values, at::kDouble); }

struct Inputs {
    at::Tensor scores;
    at::Tensor alpha;
    at::Tensor temperature;
    at::Tensor mask;
    std::int64_t axis = -1;

    at::Tensor weights() const { return entmax(scores, alpha, temperature, mask, axis); }
};

/// Whether a supported key is close to the threshold, p^(alpha-1) small, for the steps of `differences`.
bool isNearKink(const Inputs& inputs) {
    const at::Tensor weights = inputs.weights();
    const double steepest = inputs.alpha.max().item<double>();
    const double least = weights.masked_fill(weights == 0, 1).min().item<double>();
    return std::pow(least, steepest - 1) < 1e-4;
}

void expectNear(const at::Tensor& found, const at::Tensor& expected) {
    EXPECT_EQ(found.sizes(), expected.sizes());
    EXPECT_LT(largestDifference(found, expected), 1e-7 * (1 + expected.abs().max().item<double>()));
}

/// Compares with differences; false near a kink.
bool expectGradients(Inputs inputs) {
    if (isNearKink(inputs)) return false;
    const at::Tensor direction = random(inputs.scores.sizes());
    const auto loss = [&] { return (inputs.weights() * direction).sum().item<double>(); };
    const at::Tensor byScores = differences(inputs.scores, 1e-6, loss);
    const at::Tensor byAlpha = differences(inputs.alpha, 1e-6, loss);
    const at::Tensor byTemperature = differences(inputs.temperature, 1e-6, loss);
    for (at::Tensor* input : {&inputs.scores, &inputs.alpha, &inputs.temperature}) *input = learned(*input);
    (inputs.weights() * direction).sum().backward();
    expectNear(inputs.scores.grad(), byScores);
    expectNear(inputs.alpha.grad(), byAlpha);
    expectNear(inputs.temperature.grad(), byTemperature);
    return true;
}

class EntmaxFunction : public testing::Test {
protected:
    void SetUp() override { at::manual_seed(17); }
};

TEST_F(EntmaxFunction, gradients_equal_finite_differences_for_every_shape_axis_and_alpha) {
    int compared = 0;
    const std::vector<std::vector<std::int64_t>> shapes = {{4}, {3, 4}, {2, 3, 4}, {2, 1, 3, 2}};
    for (const double alpha : {1.01, 1.25, 1.5, 1.8, 2.0, 2.5, 3.0, 5.0}) {
        for (const auto& shape : shapes) {
            for (std::int64_t axis = -1; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
                // A kink within the differences shows up now and then at random scores.
                for (int attempt = 0; attempt < 20; ++attempt) {
                    const Inputs inputs{random(shape, 0.2 / alpha), number(alpha), number(0.8), {}, axis};
                    if (!expectGradients(inputs)) continue;
                    ++compared;
                    break;
                }
            }
        }
    }
    EXPECT_GT(compared, 8 * 14 * 9 / 10);
}

TEST_F(EntmaxFunction, each_head_has_its_own_alpha_and_each_row_its_temperature) {
    const at::Tensor alphas = numbers({1.2, 1.5, 2.0}).view({3, 1, 1});
    for (int repetition = 0; repetition < 5; ++repetition) {
        const at::Tensor temperatures = random({2, 1, 4, 1}).abs() + 1;
        EXPECT_TRUE(expectGradients({random({2, 3, 4, 5}, 0.03), alphas, temperatures, {}, -1}));
        EXPECT_TRUE(expectGradients({random({2, 3, 4, 5}, 0.03), alphas, number(2), {}, 2}));
    }
}

TEST_F(EntmaxFunction, gradients_with_masks_equal_finite_differences) {
    const at::Tensor mask = at::tensor({1, 1, 0, 1, 0, 1, 1, 1}, at::kLong).to(at::kBool).view({2, 1, 4});
    for (int repetition = 0; repetition < 5; ++repetition) {
        for (const std::int64_t axis : {0, 1, 2}) {
            Inputs inputs{random({2, 3, 4}, 0.2), number(1.4), number(1.1), mask, axis};
            EXPECT_TRUE(expectGradients(inputs));
            inputs.scores = learned(inputs.scores);
            inputs.weights().square().sum().backward();
            const at::Tensor hidden = mask.expand({2, 3, 4}).logical_not();
            EXPECT_EQ(inputs.weights().masked_select(hidden).abs().sum().item<double>(), 0);
            EXPECT_EQ(inputs.scores.grad().masked_select(hidden).abs().sum().item<double>(), 0);
        }
    }
}

TEST_F(EntmaxFunction, rows_sum_to_one_along_their_axis) {
    for (const auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16}) {
        const double tolerance = type == at::kDouble ? 1e-14 : type == at::kFloat ? 1e-6 : 2e-2;
        for (const double alpha : {1.0, 1.5, 2.0, 3.0}) {
            for (const std::int64_t axis : {0, 1, 2}) {
                const at::Tensor weights =
                    entmax(random({3, 5, 7}).to(type), number(alpha), number(1), {}, axis);
                EXPECT_EQ(weights.scalar_type(), type);
                const at::Tensor sums = weights.to(at::kDouble).sum(axis);
                EXPECT_LT(largestDifference(sums, at::ones_like(sums)), tolerance);
            }
        }
    }
}

TEST_F(EntmaxFunction, at_alpha_one_is_softmax_with_its_gradient) {
    for (const std::int64_t axis : {0, 1, -1}) {
        const at::Tensor ours = learned(random({4, 5, 6}));
        const at::Tensor theirs = learned(ours);
        const at::Tensor direction = random({4, 5, 6});
        const at::Tensor weights = entmax(ours, number(1), number(0.5), {}, axis);
        const at::Tensor expected = at::softmax(theirs / 0.5, axis);
        EXPECT_LT(largestDifference(weights, expected), 1e-15);
        (weights * direction).sum().backward();
        (expected * direction).sum().backward();
        EXPECT_LT(largestDifference(ours.grad(), theirs.grad()), 1e-14);
    }
}

TEST_F(EntmaxFunction, other_axes_and_strides_give_what_a_contiguous_copy_gives) {
    const at::Tensor scores = random({6, 8, 10});
    const at::Tensor strided = scores.permute({2, 0, 1}).slice(1, 0, 6, 2);
    for (const std::int64_t axis : {0, 1, 2}) {
        const at::Tensor copy = learned(strided.movedim(axis, -1).contiguous());
        const at::Tensor view = learned(strided);
        const at::Tensor direction = random(strided.sizes());
        const at::Tensor expected = entmax(copy, number(1.6), number(1));
        const at::Tensor found = entmax(view, number(1.6), number(1), {}, axis);
        EXPECT_TRUE(at::equal(found.movedim(axis, -1), expected));
        (found * direction).sum().backward();
        (expected * direction.movedim(axis, -1)).sum().backward();
        EXPECT_TRUE(at::equal(view.grad().movedim(axis, -1), copy.grad()));
    }
}

TEST_F(EntmaxFunction, float_rows_and_their_gradients_are_those_of_double_rounded) {
    const at::Tensor scores = random({40, 30}).to(at::kFloat);
    const at::Tensor direction = random({40, 30}).to(at::kFloat);
    for (const double alpha : {1.0, 1.3, 2.0, 4.0}) {
        const at::Tensor single = learned(scores), twice = learned(scores.to(at::kDouble));
        const at::Tensor singleAlpha = learned(number(alpha).to(at::kFloat)),
                         twiceAlpha = learned(singleAlpha.to(at::kDouble));
        const at::Tensor weights = entmax(single, singleAlpha, number(2));
        const at::Tensor expected = entmax(twice, twiceAlpha, number(2));
        EXPECT_TRUE(at::equal(weights, expected.to(at::kFloat)));
        (weights * direction).sum().backward();
        (expected * direction.to(at::kDouble)).sum().backward();
        EXPECT_TRUE(at::equal(single.grad(), twice.grad().to(at::kFloat)));
        EXPECT_EQ(singleAlpha.grad().scalar_type(), at::kFloat);
        EXPECT_TRUE(at::equal(singleAlpha.grad(), twiceAlpha.grad().to(at::kFloat)));
    }
}

TEST_F(EntmaxFunction, half_and_bfloat16_are_converted_at_the_edges) {
    for (const auto type : {at::kHalf, at::kBFloat16}) {
        const at::Tensor scores = learned(random({5, 9}).to(type));
        const at::Tensor widened = learned(scores.to(at::kFloat));
        const at::Tensor weights = entmax(scores, number(1.5), number(1));
        EXPECT_TRUE(at::equal(weights, entmax(widened, number(1.5), number(1)).to(type)));
        weights.select(1, 0).sum().backward();
        EXPECT_EQ(scores.grad().scalar_type(), type);
        EXPECT_GT(scores.grad().abs().sum().item<double>(), 0);
    }
}

TEST_F(EntmaxFunction, learning_alpha_and_temperature_lowers_a_loss) {
    // Targets come from alpha 1.7 and temperature 0.6; the start is elsewhere.
    const at::Tensor scores = random({50, 8});
    const at::Tensor target = entmax(scores, number(1.7), number(0.6));
    at::Tensor alpha = learned(number(1.2)), temperature = learned(number(1));
    std::optional<double> first;
    double last = 0;
    for (int step = 0; step < 400; ++step) {
        const at::Tensor loss = (entmax(scores, alpha, temperature) - target).square().sum(1).mean();
        last = loss.item<double>();
        if (!first) first = last;
        loss.backward();
        alpha = learned(alpha - 2 * alpha.grad());
        temperature = learned(temperature - 2 * temperature.grad());
    }
    EXPECT_LT(last, *first * 1e-4);
    EXPECT_NEAR(alpha.item<double>(), 1.7, 0.05);
    EXPECT_NEAR(temperature.item<double>(), 0.6, 0.05);
}

void expectRefusal(const Inputs& inputs, std::initializer_list<const char*> parts) {
    const std::string message = refusal([&] { inputs.weights(); });
    for (const char* part : parts) EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST_F(EntmaxFunction, alpha_learned_below_one_is_refused_with_the_range) {
    at::Tensor alpha = learned(number(1.05));
    const at::Tensor scores = numbers({0.2, -0.3, 1});
    const std::string message = refusal([&] {
        for (int step = 0; step < 1000; ++step) {
            // A loss that only alpha below 1 would satisfy.
            entmax(scores, alpha, number(1)).square().sum().backward();
            alpha = learned(alpha - 0.1 * alpha.grad());
        }
    });
    EXPECT_LT(alpha.item<double>(), 1);
    EXPECT_NE(message.find("alpha must be at least 1"), std::string::npos) << message;
    EXPECT_NE(message.find("found 0.9"), std::string::npos) << message;
}

TEST_F(EntmaxFunction, parameters_outside_their_domain_are_refused_wherever_they_stand) {
    const at::Tensor scores = random({2, 3, 4});
    expectRefusal({scores, number(nan), number(1), {}}, {"alpha", "at least 1", "nan"});
    expectRefusal({scores, numbers({1, 2, 0.25}).view({3, 1}), number(1), {}},
                  {"alpha", "at least 1", "0.25"});
    expectRefusal({scores, number(1), number(-2), {}}, {"temperature", "at least 0", "-2"});
    expectRefusal({scores, number(1), number(nan), {}}, {"temperature", "at least 0", "nan"});
    // Without elements, too.
    expectRefusal({random({0, 4}), number(0.5), number(1), {}}, {"alpha", "0.5"});
}

TEST_F(EntmaxFunction, shapes_types_and_axes_that_do_not_fit_are_refused) {
    const at::Tensor scores = random({2, 3, 4});
    expectRefusal({scores, numbers({1, 2}), number(1), {}}, {"alpha", "[2]", "[2, 3, 1]"});
    expectRefusal({scores, number(1), numbers({1, 2, 3, 4}), {}}, {"temperature", "[4]"});
    expectRefusal({scores, number(1), number(1), at::ones({3, 3}, at::kBool)},
                  {"mask", "[3, 3]", "[2, 3, 4]"});
    expectRefusal({scores, number(1), number(1), at::ones({3, 4})}, {"mask must be bool", "Float"});
    expectRefusal({scores.to(at::kLong), number(1), number(1), {}}, {"scores", "Long"});
    expectRefusal({scores, at::ones({}, at::kLong), number(1), {}}, {"alpha", "floating-point"});
    expectRefusal({scores, at::Tensor(), number(1), {}}, {"alpha"});
    expectRefusal({at::Tensor(), number(1), number(1), {}}, {"scores"});
    expectRefusal({scores, number(1), number(1), {}, 3}, {"axis 3", "[2, 3, 4]", "-3 to 2"});
    expectRefusal({scores, number(1), number(1), {}, -4}, {"axis -4"});
    expectRefusal({number(2), number(1), number(1), {}}, {"at least one axis"});
}

TEST_F(EntmaxFunction, second_derivatives_are_refused_and_not_silently_zero) {
    const at::Tensor scores = learned(random({3, 4}));
    const at::Tensor loss = entmax(scores, number(1.5), number(1)).square().sum();
    const std::string message = refusal(
        [&] { torch::autograd::grad({loss}, {scores}, {}, /*retain_graph=*/true, /*create_graph=*/true); });
    EXPECT_NE(message.find("second derivatives"), std::string::npos) << message;
}

TEST_F(EntmaxFunction, arrays_without_elements_give_arrays_without_elements) {
    for (const auto& shape : {std::vector<std::int64_t>{0}, {0, 4}, {4, 0}, {2, 0, 3}}) {
        for (std::int64_t axis = 0; axis < static_cast<std::int64_t>(shape.size()); ++axis) {
            const at::Tensor scores = learned(at::empty(shape, at::kFloat));
            const at::Tensor weights = entmax(scores, number(1.5), number(1), {}, axis);
            EXPECT_EQ(weights.sizes(), scores.sizes());
            weights.sum().backward();
            EXPECT_EQ(scores.grad().sizes(), scores.sizes());
        }
    }
}

TEST_F(EntmaxFunction, empty_rows_give_no_gradient_and_nan_stays_in_its_row) {
    const at::Tensor scores =
        learned(numbers({0.1, 0.2, -infinity, -infinity, nan, 0, infinity, 1}).view({4, 2}));
    at::Tensor alpha = learned(number(1.5).expand({4, 1}));
    const at::Tensor weights = entmax(scores, alpha, number(1));
    EXPECT_EQ(weights[1].abs().sum().item<double>(), 0);
    EXPECT_TRUE(weights[2].isnan().all().item<bool>());
    EXPECT_TRUE(at::equal(weights[3], numbers({1, 0})));
    (weights * numbers({1, 2})).sum().backward();
    EXPECT_FALSE(scores.grad()[0].isnan().any().item<bool>());
    EXPECT_EQ(scores.grad()[1].abs().sum().item<double>(), 0);
    EXPECT_TRUE(scores.grad()[2].isnan().all().item<bool>());
    EXPECT_EQ(scores.grad()[3].abs().sum().item<double>(), 0);
    EXPECT_EQ(alpha.grad()[1].item<double>(), 0);
    EXPECT_EQ(alpha.grad()[3].item<double>(), 0);
}

TEST_F(EntmaxFunction, only_what_asks_for_a_gradient_gets_one) {
    const at::Tensor scores = random({3, 4}), alpha = learned(number(1.5));
    const at::Tensor fixed = entmax(scores, number(1.5), number(1));
    EXPECT_FALSE(fixed.requires_grad());
    entmax(scores, alpha, number(1)).square().sum().backward();
    EXPECT_TRUE(alpha.grad().defined());
    EXPECT_FALSE(scores.grad().defined());
}

TEST_F(EntmaxFunction, the_result_does_not_depend_on_the_number_of_threads) {
    const at::Tensor scores = random({4000, 60});
    const int threads = at::get_num_threads();
    std::vector<at::Tensor> weights, gradients;
    for (const int count : {1, 3}) {
        at::set_num_threads(count);
        const at::Tensor input = learned(scores);
        weights.push_back(entmax(input, number(1.5), number(1)));
        weights.back().square().sum().backward();
        gradients.push_back(input.grad());
    }
    at::set_num_threads(threads);
    EXPECT_TRUE(at::equal(weights[0], weights[1]));
    EXPECT_TRUE(at::equal(gradients[0], gradients[1]));
}

}  // namespace
}  // namespace fovea::training
