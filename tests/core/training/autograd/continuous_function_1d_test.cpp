// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/continuous_function_1d.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "core/mechanism/expectation_1d.h"
#include "core/mechanism/value_function.h"
#include "core/training/torch/entmax_function.h"
#include "tests/core/training/autograd/operator_checks.h"

namespace fovea::training {
namespace {

using test::differences;
using test::expectRefused;
using test::largestDifference;
using test::learned;
using test::random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t batch = 3, tokens = 6, numbers = 4;

const std::vector<double> alphas = {0.7, 1, 1.25, 1.5, 2, 3, infinity};

at::Tensor list(std::vector<double> values) { return at::tensor(values, at::kDouble); }

/// G (length, J) over midpoints.
at::Tensor valueWeights(std::size_t length, const std::vector<RadialBasis1d>& basis) {
    const auto lattice = textLattice(length, Positions::Midpoint, LatticePadding::None);
    const auto regression = fitRidge(lattice, basis, 0.1).value();
    const Eigen::MatrixXd& found = regression.tokenMap();
    at::Tensor tensor = at::empty({found.rows(), found.cols()}, at::kDouble);
    auto entries = tensor.accessor<double, 2>();
    for (Eigen::Index l = 0; l < found.rows(); ++l) {
        for (Eigen::Index j = 0; j < found.cols(); ++j) entries[l][j] = found(l, j);
    }
    return tensor;
}

ContinuousAttention1d attention(double alpha, MomentMatching matching = MomentMatching::Moments) {
    const auto basis = publishedBasis1d(8);
    return {basis, valueWeights(tokens, basis), {alpha, 1.3}, matching};
}

/// That the gradients of a random combination of `output()` are its differences, for every input.
void expectGradients(const std::vector<at::Tensor>& inputs, const std::function<at::Tensor()>& output,
                     double tolerance = 1e-8) {
    const at::Tensor upstream = random(output().sizes());
    const auto loss = [&] { return (output() * upstream).sum(); };
    const auto found = torch::autograd::grad({loss()}, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        c10::NoGradGuard guard;
        const at::Tensor expected =
            differences(inputs[i].detach(), 2e-5, [&] { return loss().item<double>(); });
        const double scale = std::max(1.0, expected.abs().max().item<double>());
        EXPECT_LT(largestDifference(found[i], expected), tolerance * scale) << "input " << i;
        EXPECT_GT(found[i].abs().max().item<double>(), 0) << "input " << i;
    }
}

TEST(ContinuousFunction1d, is_the_context_of_the_value_function) {
    at::manual_seed(1);
    const auto basis = publishedBasis1d(8);
    const at::Tensor values = random({batch, tokens, numbers});
    const auto regression = std::make_shared<const RidgeRegression>(
        fitRidge(textLattice(tokens, Positions::Midpoint, LatticePadding::None), basis, 0.1).value());
    for (const double alpha : alphas) {
        const auto given = attention(alpha);
        const at::Tensor found =
            continuousContext1d(list({0.2, 0.5, 0.9}), list({0.01, 0.05, 0.002}), values, given);
        ASSERT_EQ(found.sizes(), at::IntArrayRef({batch, numbers}));
        for (std::int64_t row = 0; row < batch; ++row) {
            Eigen::MatrixXd ofRow(numbers, tokens);
            for (std::int64_t d = 0; d < numbers; ++d) {
                for (std::int64_t l = 0; l < tokens; ++l) ofRow(d, l) = values[row][l][d].item<double>();
            }
            const double mean = std::vector{0.2, 0.5, 0.9}[static_cast<std::size_t>(row)];
            const double variance = std::vector{0.01, 0.05, 0.002}[static_cast<std::size_t>(row)];
            const auto density =
                Density1d::fromMoments({mean, variance}, MomentMatching::Moments, given.density).value();
            std::vector<Expectation1d> expected(basis.size());
            expectations(density, basis, expected);
            Eigen::VectorXd r(8);
            for (Eigen::Index j = 0; j < 8; ++j) r[j] = expected[static_cast<std::size_t>(j)].value;
            const auto context = ValueFunction1d::fit(basis, regression, ofRow).value().context(r);
            for (std::int64_t d = 0; d < numbers; ++d) {
                EXPECT_NEAR(found[row][d].item<double>(), context[d], 1e-12) << "alpha " << alpha;
            }
        }
    }
}

TEST(ContinuousFunction1d, gradients_meet_finite_differences) {
    at::manual_seed(2);
    for (const auto matching : {MomentMatching::Moments, MomentMatching::Paper}) {
        for (const double alpha : alphas) {
            if (std::isinf(alpha) && matching == MomentMatching::Paper) continue;  // the scale has no say
            SCOPED_TRACE(testing::Message()
                         << "alpha " << alpha << " matching " << static_cast<int>(matching));
            const auto given = attention(alpha, matching);
            const at::Tensor mean = learned(list({0.2, 0.55, 0.9})),
                             spread = learned(list({0.01, 0.07, 0.004}));
            const at::Tensor values = learned(random({batch, tokens, numbers}));
            expectGradients({mean, spread, values},
                            [&] { return continuousContext1d(mean, spread, values, given); });
            const at::Tensor shared = learned(random({tokens, numbers}));
            expectGradients({mean, spread, shared},
                            [&] { return continuousContext1d(mean, spread, shared, given); });
        }
    }
}

TEST(ContinuousFunction1d, at_infinite_alpha_a_scale_has_no_gradient) {
    const at::Tensor spread = learned(list({0.01}));
    const at::Tensor found =
        basisExpectations1d(list({0.4}), spread, attention(infinity, MomentMatching::Paper));
    EXPECT_EQ(torch::autograd::grad({found.sum()}, {spread})[0].item<double>(), 0);
}

TEST(ContinuousFunction1d, trains_end_to_end_behind_entmax) {
    at::manual_seed(3);
    const at::Tensor mask = at::ones({batch, tokens}, at::kBool);
    mask[1].slice(0, 4).fill_(false);
    for (const auto floor : {VarianceFloor::Cell, VarianceFloor::Clip}) {
        const double alpha = floor == VarianceFloor::Cell ? 1 : 1.5;
        for (const double continuous : alphas) {
            SCOPED_TRACE(testing::Message() << "entmax " << alpha << " density " << continuous);
            const auto given = attention(continuous);
            const at::Tensor scores = learned(0.3 * random({batch, tokens}));
            const at::Tensor values = learned(random({batch, tokens, numbers}));
            const at::Tensor discrete = at::scalar_tensor(alpha, at::kDouble);
            expectGradients({scores, values}, [&] {
                const at::Tensor weights = entmax(scores, discrete, at::ones({}, at::kDouble), mask);
                return continuousContextOfWeights1d(weights, mask, values, given,
                                                    {Positions::Midpoint, floor});
            });
        }
    }
}

TEST(ContinuousFunction1d, a_step_against_the_gradient_lowers_the_loss) {
    at::manual_seed(4);
    const auto given = attention(2);
    at::Tensor scores = learned(random({batch, tokens}));
    const at::Tensor values = random({batch, tokens, numbers}), wanted = random({batch, numbers});
    const auto loss = [&] {
        const at::Tensor weights = at::softmax(scores, -1);
        return (continuousContextOfWeights1d(weights, {}, values, given) - wanted).square().sum();
    };
    const double first = loss().item<double>();
    for (int step = 0; step < 20; ++step) {
        const at::Tensor slope = torch::autograd::grad({loss()}, {scores})[0];
        c10::NoGradGuard guard;
        scores.sub_(0.01 * slope);
    }
    EXPECT_LT(loss().item<double>(), first);
}

TEST(ContinuousFunction1d, moments_of_weights_are_those_of_the_core) {
    at::manual_seed(5);
    const at::Tensor weights = random({batch, tokens}).abs();
    for (const auto positions : {Positions::Paper, Positions::Midpoint, Positions::Endpoints}) {
        for (const auto floor : {VarianceFloor::Cell, VarianceFloor::Clip, VarianceFloor::None}) {
            const auto found = weightedMoments1d(weights, {}, {positions, floor});
            for (std::int64_t row = 0; row < batch; ++row) {
                const double* const begin = weights.data_ptr<double>() + row * tokens;
                const auto expected = weightedMoments({begin, tokens}, positions).value();
                EXPECT_NEAR(found.mean[row].item<double>(), expected.mean, 1e-15);
                EXPECT_NEAR(found.variance[row].item<double>(),
                            flooredVariance(expected.variance, tokens, floor), 1e-15);
            }
        }
    }
}

TEST(ContinuousFunction1d, one_hot_weights_get_the_variance_of_one_cell) {
    const at::Tensor weights = at::zeros({1, tokens}, at::kDouble);
    weights[0][2] = 1;
    for (const auto floor : {VarianceFloor::Cell, VarianceFloor::Clip}) {
        const auto moments = weightedMoments1d(weights, {}, {Positions::Midpoint, floor});
        EXPECT_NEAR(moments.variance[0].item<double>(), 1.0 / (12 * tokens * tokens), 1e-17);
    }
    expectRefused(
        [&] {
            continuousContextOfWeights1d(weights, {}, random({tokens, numbers}), attention(2),
                                         {Positions::Midpoint, VarianceFloor::None});
        },
        {"row 0 of 1", "variance", "found 0"});
}

TEST(ContinuousFunction1d, padding_does_not_count) {
    at::manual_seed(6);
    const auto basis = publishedBasis1d(8);
    const std::int64_t real = 4;
    auto padded = attention(2);
    padded.valueWeights = at::zeros({1, tokens, 8}, at::kDouble);
    padded.valueWeights[0].slice(0, 0, real).copy_(valueWeights(real, basis));
    auto alone = padded;
    alone.valueWeights = valueWeights(real, basis);
    const at::Tensor mask = at::ones({1, tokens}, at::kBool);
    mask[0].slice(0, real).fill_(false);
    const at::Tensor weights = random({1, tokens}).abs();
    at::Tensor values = random({1, tokens, numbers});
    values[0].slice(0, real).fill_(nan);
    values.requires_grad_();
    const at::Tensor found = continuousContextOfWeights1d(weights, mask, values, padded);
    const at::Tensor expected = continuousContextOfWeights1d(
        weights.slice(1, 0, real), {}, values.detach().slice(1, 0, real), alone);
    EXPECT_LT(largestDifference(found.detach(), expected), 1e-14);
    const at::Tensor slope = torch::autograd::grad({found.sum()}, {values})[0];
    EXPECT_EQ(slope[0].slice(0, real).abs().max().item<double>(), 0);
}

TEST(ContinuousFunction1d, padding_of_shared_values_may_hold_anything) {
    const auto given = attention(2, MomentMatching::Moments);
    const at::Tensor mean = list({0.2, 0.55, 0.9}), spread = list({0.01, 0.07, 0.004});
    at::Tensor values = random({tokens, numbers});
    const at::Tensor mask = at::ones({batch, tokens}, at::kBool);
    mask.select(1, tokens - 1).fill_(false);
    const at::Tensor clean = continuousContext1d(mean, spread, values, given, mask);
    values = values.clone();
    values[tokens - 1].fill_(nan);
    EXPECT_TRUE(at::equal(continuousContext1d(mean, spread, values, given, mask), clean));
}

TEST(ContinuousFunction1d, a_row_without_weight_is_zero_and_gives_no_gradient) {
    at::manual_seed(7);
    const at::Tensor weights = learned(random({batch, tokens}).abs());
    const at::Tensor mask = at::ones({batch, tokens}, at::kBool);
    mask[1].fill_(false);
    const at::Tensor values = learned(random({batch, tokens, numbers}));
    const at::Tensor found = continuousContextOfWeights1d(weights, mask, values, attention(1.5));
    EXPECT_EQ(found[1].abs().max().item<double>(), 0);
    const auto slopes = torch::autograd::grad({found.sum()}, {weights, values});
    EXPECT_TRUE(slopes[0].isfinite().all().item<bool>());
    EXPECT_EQ(slopes[0][1].abs().max().item<double>(), 0);
    EXPECT_EQ(slopes[1][1].abs().max().item<double>(), 0);
    EXPECT_GT(slopes[0][0].abs().max().item<double>(), 0);
}

TEST(ContinuousFunction1d, float_is_computed_in_double) {
    at::manual_seed(8);
    const at::Tensor mean = list({0.25, 0.5, 0.75}), spread = list({0.0625, 0.125, 0.5});
    const at::Tensor values = random({batch, tokens, numbers}).to(at::kFloat);
    const auto given = attention(1.25);
    const at::Tensor narrow = learned(mean.to(at::kFloat)), learnedValues = learned(values);
    const at::Tensor found = continuousContext1d(narrow, spread.to(at::kFloat), learnedValues, given);
    EXPECT_EQ(found.scalar_type(), at::kFloat);
    const at::Tensor expected = continuousContext1d(mean, spread, values.to(at::kDouble), given);
    EXPECT_TRUE(at::equal(found.detach(), expected.to(at::kFloat)));
    const auto slopes = torch::autograd::grad({found.sum()}, {narrow, learnedValues});
    EXPECT_EQ(slopes[0].scalar_type(), at::kFloat);
    EXPECT_EQ(slopes[1].scalar_type(), at::kFloat);
}

TEST(ContinuousFunction1d, results_do_not_depend_on_the_number_of_threads) {
    at::manual_seed(9);
    const at::Tensor mean = at::rand({200}, at::kDouble), spread = 0.001 + 0.1 * at::rand({200}, at::kDouble);
    const int threads = at::get_num_threads();
    at::set_num_threads(1);
    const at::Tensor one = basisExpectations1d(mean, spread, attention(1.5));
    at::set_num_threads(4);
    const at::Tensor four = basisExpectations1d(mean, spread, attention(1.5));
    at::set_num_threads(threads);
    EXPECT_TRUE(at::equal(one, four));
}

TEST(ContinuousFunction1d, an_empty_batch_is_no_fault) {
    const at::Tensor none = at::empty({0}, at::kDouble);
    const at::Tensor found =
        continuousContext1d(none, none, at::empty({0, tokens, numbers}, at::kDouble), attention(2));
    EXPECT_EQ(found.sizes(), at::IntArrayRef({0, numbers}));
}

TEST(ContinuousFunction1d, second_derivatives_are_refused) {
    const at::Tensor mean = learned(list({0.4}));
    const at::Tensor found = basisExpectations1d(mean, list({0.01}), attention(2));
    expectRefused([&] { torch::autograd::grad({found.sum()}, {mean}, {}, true, true); }, {"create_graph"});
}

TEST(ContinuousFunction1d, broken_inputs_are_refused_with_shapes_and_values) {
    const at::Tensor mean = list({0.2, 0.5, 0.9}), spread = list({0.01, 0.05, 0.002});
    const at::Tensor values = random({batch, tokens, numbers});
    const auto good = attention(2);
    const auto context = [&](const at::Tensor& m, const at::Tensor& s, const at::Tensor& h) {
        return [=] { continuousContext1d(m, s, h, good); };
    };
    for (const double bad : {0.0, -1.0, nan, infinity}) {
        expectRefused(context(mean, list({0.01, bad, 0.1}), values), {"row 1 of 3", "above 0"});
    }
    expectRefused(context(list({0.2, 0.5, nan}), spread, values), {"row 2 of 3", "mean", "nan"});
    expectRefused(context(list({0.2, 0.5}), spread, values), {"[2]", "[3]"});
    expectRefused(context(mean.unsqueeze(1), spread, values), {"mean", "[3, 1]"});
    expectRefused(context(mean, spread, random({2, tokens, numbers})), {"[2, 6, 4]", "3 means"});
    expectRefused(context(mean, spread, random({batch, 5, numbers})), {"[5, 8]", "[6, 8]"});
    expectRefused(context(mean, spread, random({tokens})), {"values", "[6]"});
    expectRefused(context(mean, spread, values.to(at::kLong)), {"values", "Long"});
    expectRefused(context(at::Tensor(), spread, values), {"mean must be defined"});
    for (const double bad : {0.0, -2.0, nan}) {
        auto wrong = good;
        wrong.density.alpha = bad;
        expectRefused([&] { continuousContext1d(mean, spread, values, wrong); }, {"alpha must be above 0"});
    }
    auto heavy = good;
    heavy.density.alpha = 0.2;
    expectRefused([&] { continuousContext1d(mean, spread, values, heavy); }, {"1/3", "0.2"});
    auto flat = good;
    flat.basis[3].deviation = 0;
    expectRefused([&] { continuousContext1d(mean, spread, values, flat); },
                  {"basis function 3", "deviation 0"});
    auto bare = good;
    bare.basis.clear();
    expectRefused([&] { continuousContext1d(mean, spread, values, bare); }, {"at least one basis function"});
}

TEST(ContinuousFunction1d, broken_weights_and_masks_are_refused) {
    const at::Tensor values = random({batch, tokens, numbers}), mask = at::ones({batch, tokens}, at::kBool);
    const auto given = attention(2);
    for (const double bad : {-0.25, nan, infinity}) {
        const at::Tensor weights = at::ones({batch, tokens}, at::kDouble);
        weights[1][4] = bad;
        expectRefused([&] { continuousContextOfWeights1d(weights, mask, values, given); },
                      {"row 1, token 4", "found"});
    }
    const at::Tensor weights = at::ones({batch, tokens}, at::kDouble);
    expectRefused([&] { continuousContextOfWeights1d(weights, mask.slice(1, 1), values, given); },
                  {"mask", "[3, 6]", "[3, 5]"});
    expectRefused([&] { continuousContextOfWeights1d(weights, weights, values, given); },
                  {"mask must be bool"});
    expectRefused([&] { continuousContextOfWeights1d(weights.slice(1, 1), {}, values, given); },
                  {"[3, 5]", "[3, 6, 4]"});
}

}  // namespace
}  // namespace fovea::training
