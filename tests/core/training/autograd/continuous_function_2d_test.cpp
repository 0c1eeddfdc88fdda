// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/continuous_function_2d.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/mechanism/expectation_2d.h"
#include "core/mechanism/value_function.h"
#include "tests/core/training/autograd/operator_checks.h"

namespace fovea::training {
namespace {

using test::expectRefused;
using test::learned;
using test::random;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr GridShape grid{3, 4};
constexpr std::int64_t batch = 3, cells = 12, numbers = 5;

const std::vector<double> alphas = {0.7, 1, 1.25, 1.5, 2, 3, infinity};

at::Tensor list(std::vector<double> values, at::IntArrayRef shape) {
    return at::tensor(values, at::kDouble).reshape(shape);
}

at::Tensor someMeans() { return list({0.2, 0.6, 0.55, 0.4, 0.9, 0.8}, {batch, 2}); }

at::Tensor someMatrices() {
    return list({0.03, 0.01, 0.01, 0.02, 0.07, -0.02, -0.02, 0.05, 0.01, 0, 0, 0.004}, {batch, 2, 2});
}

std::vector<RadialBasis2d> someBasis() {
    std::vector<RadialBasis2d> basis;
    for (const double x : {0.1, 0.5, 0.9}) {
        for (const double y : {0.2, 0.8}) {
            Eigen::Matrix2d covariance;
            covariance << 0.02, 0.005, 0.005, 0.03 - 0.02 * x;
            basis.push_back(RadialBasis2d::make({x, y}, covariance).value());
        }
    }
    return basis;
}

RidgeRegression someRegression() {
    const auto basis = someBasis();
    const auto lattice = gridLattice(grid.rows, grid.columns, LatticePadding::None);
    return fitRidge(lattice, basis, 0.1).value();
}

/// G (cells, J) over the cells' centres.
at::Tensor valueWeights() {
    const auto regression = someRegression();
    const Eigen::MatrixXd& found = regression.tokenMap();
    at::Tensor tensor = at::empty({found.rows(), found.cols()}, at::kDouble);
    auto entries = tensor.accessor<double, 2>();
    for (Eigen::Index l = 0; l < found.rows(); ++l) {
        for (Eigen::Index j = 0; j < found.cols(); ++j) entries[l][j] = found(l, j);
    }
    return tensor;
}

ContinuousAttention2d attention(double alpha, MomentMatching matching = MomentMatching::Moments) {
    return {someBasis(), valueWeights(), {alpha, 1.3}, matching};
}

/// Central difference of fourth order of `loss` along `direction` from `tensor`, which is left as it was.
double difference(at::Tensor tensor, const at::Tensor& direction, const std::function<double()>& loss) {
    constexpr double step = 2e-5;
    const at::Tensor kept = tensor.clone();
    const auto lossAt = [&](double distance) {
        tensor.copy_(kept + distance * direction);
        return loss();
    };
    const double slope = 8 * (lossAt(step) - lossAt(-step)) - (lossAt(2 * step) - lossAt(-2 * step));
    tensor.copy_(kept);
    return slope / (12 * step);
}

/// Every element of its own; of matrices both of an off-diagonal pair together.
std::vector<at::Tensor> directionsOf(const at::Tensor& tensor, bool matrices) {
    std::vector<at::Tensor> directions;
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        at::Tensor direction = at::zeros_like(tensor);
        direction.view({-1})[i] = 1;
        if (matrices) direction = at::maximum(direction, direction.transpose(1, 2)).contiguous();
        directions.push_back(direction);
    }
    return directions;
}

/// That the gradients of a random combination of `output()` are its differences, for every input.
void expectGradients(const std::vector<at::Tensor>& inputs, const std::function<at::Tensor()>& output,
                     double tolerance = 1e-8) {
    const at::Tensor upstream = random(output().sizes());
    const auto loss = [&] { return (output() * upstream).sum(); };
    const auto found = torch::autograd::grad({loss()}, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        c10::NoGradGuard guard;
        const bool matrices = inputs[i].dim() == 3 && inputs[i].size(1) == 2 && inputs[i].size(2) == 2;
        const double scale = std::max(1.0, found[i].abs().max().item<double>());
        for (const at::Tensor& direction : directionsOf(inputs[i], matrices)) {
            const double expected =
                difference(inputs[i].detach(), direction, [&] { return loss().item<double>(); });
            EXPECT_NEAR((found[i] * direction).sum().item<double>(), expected, tolerance * scale)
                << "input " << i;
        }
        EXPECT_GT(found[i].abs().max().item<double>(), 0) << "input " << i;
    }
}

TEST(ContinuousFunction2d, is_the_context_of_the_value_function) {
    at::manual_seed(1);
    const auto basis = someBasis();
    const auto regression = std::make_shared<const RidgeRegression>(someRegression());
    const at::Tensor means = someMeans(), matrices = someMatrices(), values = random({batch, cells, numbers});
    for (const double alpha : alphas) {
        const auto given = attention(alpha);
        const at::Tensor found = continuousContext2d(means, matrices, values, given);
        ASSERT_EQ(found.sizes(), at::IntArrayRef({batch, numbers}));
        for (std::int64_t row = 0; row < batch; ++row) {
            Eigen::MatrixXd ofRow(numbers, cells);
            for (std::int64_t d = 0; d < numbers; ++d) {
                for (std::int64_t l = 0; l < cells; ++l) ofRow(d, l) = values[row][l][d].item<double>();
            }
            Moments2d moments{{means[row][0].item<double>(), means[row][1].item<double>()}, {}};
            for (int i = 0; i < 4; ++i) {
                moments.covariance(i / 2, i % 2) = matrices[row][i / 2][i % 2].item<double>();
            }
            const auto density =
                Density2d::fromMoments(moments, MomentMatching::Moments, given.density).value();
            std::vector<Expectation2d> expected(basis.size());
            expectations(density, basis, expected);
            Eigen::VectorXd r(static_cast<Eigen::Index>(basis.size()));
            for (std::size_t j = 0; j < basis.size(); ++j)
                r[static_cast<Eigen::Index>(j)] = expected[j].value;
            const auto context = ValueFunction2d::fit(basis, regression, ofRow).value().context(r);
            for (std::int64_t d = 0; d < numbers; ++d) {
                EXPECT_NEAR(found[row][d].item<double>(), context[d], 1e-12) << "alpha " << alpha;
            }
        }
    }
}

TEST(ContinuousFunction2d, gradients_meet_finite_differences) {
    at::manual_seed(2);
    for (const auto matching : {MomentMatching::Moments, MomentMatching::Paper}) {
        for (const double alpha : alphas) {
            SCOPED_TRACE(testing::Message()
                         << "alpha " << alpha << " matching " << static_cast<int>(matching));
            const auto given = attention(alpha, matching);
            const at::Tensor mean = learned(someMeans()), matrix = learned(someMatrices());
            const at::Tensor values = learned(random({batch, cells, numbers}));
            expectGradients({mean, matrix, values},
                            [&] { return continuousContext2d(mean, matrix, values, given); });
            const at::Tensor shared = learned(random({cells, numbers}));
            expectGradients({shared}, [&] { return continuousContext2d(mean, matrix, shared, given); });
        }
    }
}

TEST(ContinuousFunction2d, gradient_by_the_matrix_is_symmetric) {
    at::manual_seed(3);
    const at::Tensor mean = someMeans(), matrix = learned(someMatrices());
    const at::Tensor loss = continuousContext2d(mean, matrix, random({cells, numbers}), attention(1.5)).sum();
    const at::Tensor found = torch::autograd::grad({loss}, {matrix})[0];
    EXPECT_TRUE(at::equal(found, found.transpose(1, 2)));
}

TEST(ContinuousFunction2d, gradients_through_the_moments_of_weights_meet_finite_differences) {
    at::manual_seed(4);
    at::Tensor mask = at::ones({batch, cells}, at::kBool);
    mask[1].slice(0, 9, cells).fill_(false);
    for (const double alpha : alphas) {
        SCOPED_TRACE(testing::Message() << "alpha " << alpha);
        const auto given = attention(alpha);
        const at::Tensor weights = learned(at::rand({batch, cells}, at::TensorOptions(at::kDouble)) + 0.05);
        const at::Tensor values = learned(random({batch, cells, numbers}));
        const auto output = [&] { return continuousContextOfWeights2d(weights, mask, values, given, grid); };
        expectGradients({weights, values}, output);
        const auto found = torch::autograd::grad({output().sum()}, {weights, values});
        EXPECT_EQ(found[0][1].slice(0, 9, cells).abs().max().item<double>(), 0);
        EXPECT_EQ(found[1][1].slice(0, 9, cells).abs().max().item<double>(), 0);
        // The sum of a row does not matter.
        EXPECT_LT((found[0] * weights).sum(1).abs().max().item<double>(), 1e-12);
    }
}

TEST(ContinuousFunction2d, moments_of_weights_are_those_of_the_mechanism) {
    at::manual_seed(5);
    const at::Tensor weights = at::rand({batch, cells}, at::TensorOptions(at::kDouble));
    const TensorMoments2d found = weightedMoments2d(weights, {}, grid);
    for (std::int64_t row = 0; row < batch; ++row) {
        const at::Tensor ofRow = weights[row].contiguous();
        const auto plain =
            weightedMoments(std::span(ofRow.data_ptr<double>(), cells), grid.rows, grid.columns);
        ASSERT_TRUE(plain);
        const auto floored =
            flooredCovariance(plain->covariance, grid.rows, grid.columns, VarianceFloor::Cell);
        for (int i = 0; i < 2; ++i) {
            EXPECT_NEAR(found.mean[row][i].item<double>(), plain->mean(i), 1e-15);
            for (int j = 0; j < 2; ++j) {
                EXPECT_NEAR(found.covariance[row][i][j].item<double>(), floored(i, j), 1e-16);
            }
        }
    }
}

TEST(ContinuousFunction2d, one_hot_and_empty_rows_have_finite_contexts_and_gradients) {
    at::manual_seed(6);
    const at::Tensor weights = learned(at::zeros({2, cells}, at::kDouble));
    weights.detach()[0][5] = 1;
    const at::Tensor values = learned(random({2, cells, numbers}));
    const at::Tensor found = continuousContextOfWeights2d(weights, {}, values, attention(2), grid);
    EXPECT_TRUE(found.isfinite().all().item<bool>());
    EXPECT_EQ(found[1].abs().max().item<double>(), 0);
    const auto slopes = torch::autograd::grad({found.sum()}, {weights, values});
    for (const at::Tensor& slope : slopes) {
        EXPECT_TRUE(slope.isfinite().all().item<bool>());
        EXPECT_EQ(slope[1].abs().max().item<double>(), 0);
        EXPECT_GT(slope[0].abs().max().item<double>(), 0);
    }
}

TEST(ContinuousFunction2d, padding_may_hold_anything) {
    at::manual_seed(7);
    at::Tensor mask = at::ones({batch, cells}, at::kBool);
    mask[0].slice(0, 10, cells).fill_(false);
    const at::Tensor weights = at::rand({batch, cells}, at::TensorOptions(at::kDouble));
    const at::Tensor values = random({batch, cells, numbers});
    const at::Tensor clean = continuousContextOfWeights2d(weights, mask, values, attention(1.5), grid);
    weights[0].slice(0, 10, cells).fill_(nan);
    values[0].slice(0, 10, cells).fill_(nan);
    EXPECT_TRUE(at::equal(clean, continuousContextOfWeights2d(weights, mask, values, attention(1.5), grid)));
}

TEST(ContinuousFunction2d, float_is_computed_in_double_and_rounded_once) {
    at::manual_seed(8);
    const at::Tensor mean = learned(someMeans().to(at::kFloat)),
                     matrix = learned(someMatrices().to(at::kFloat));
    const at::Tensor values = learned(random({batch, cells, numbers}).to(at::kFloat));
    const auto given = attention(1.5);
    const at::Tensor found = continuousContext2d(mean, matrix, values, given);
    EXPECT_EQ(found.scalar_type(), at::kFloat);
    const at::Tensor exact =
        continuousContext2d(mean.to(at::kDouble), matrix.to(at::kDouble), values.to(at::kDouble), given);
    EXPECT_TRUE(at::equal(found, exact.to(at::kFloat)));
    for (const at::Tensor& slope : torch::autograd::grad({found.sum()}, {mean, matrix, values})) {
        EXPECT_EQ(slope.scalar_type(), at::kFloat);
    }
}

TEST(ContinuousFunction2d, non_contiguous_inputs_and_more_threads_change_nothing) {
    at::manual_seed(9);
    const auto given = attention(1.25);
    const at::Tensor values = random({batch, cells, numbers});
    const at::Tensor plain = continuousContext2d(someMeans(), someMatrices(), values, given);
    const at::Tensor mean = someMeans().t().contiguous().t();
    const at::Tensor matrix = someMatrices().permute({1, 2, 0}).contiguous().permute({2, 0, 1});
    ASSERT_FALSE(matrix.is_contiguous());
    EXPECT_TRUE(at::equal(plain, continuousContext2d(mean, matrix, values, given)));
    const int threads = at::get_num_threads();
    at::set_num_threads(threads + 1);
    EXPECT_TRUE(at::equal(plain, continuousContext2d(mean, matrix, values, given)));
    at::set_num_threads(threads);
}

TEST(ContinuousFunction2d, a_matrix_that_is_not_positive_definite_is_refused_with_the_arithmetic) {
    at::Tensor matrix = someMatrices();
    matrix[1] = list({1, 2, 2, 1}, {2, 2});
    expectRefused([&] { continuousContext2d(someMeans(), matrix, random({cells, numbers}), attention(2)); },
                  {"row 1 of 3", "positive definite", "[[1, 2], [2, 1]]", "1 x 1 - 2 x 2 = -3",
                   "eigenvalues 3 and -1"});
    matrix[1] = list({1, 0.5, 0.25, 1}, {2, 2});
    expectRefused([&] { continuousContext2d(someMeans(), matrix, random({cells, numbers}), attention(2)); },
                  {"row 1 of 3", "symmetric", "0.5", "0.25"});
    matrix[1].fill_(nan);
    expectRefused([&] { continuousContext2d(someMeans(), matrix, random({cells, numbers}), attention(2)); },
                  {"row 1 of 3", "finite"});
}

TEST(ContinuousFunction2d, inputs_of_other_shapes_are_refused_with_the_shapes) {
    const auto given = attention(2);
    const at::Tensor values = random({cells, numbers});
    const auto with = [&](const at::Tensor& mean, const at::Tensor& matrix, const at::Tensor& v) {
        return [=] { continuousContext2d(mean, matrix, v, given); };
    };
    expectRefused(with(random({batch, 3}), someMatrices(), values), {"mean", "(batch, 2)", "[3, 3]"});
    expectRefused(with(someMeans(), random({2, 2, 2}), values), {"matrix", "[3, 2, 2]", "[2, 2, 2]"});
    expectRefused(with(someMeans(), someMatrices(), random({cells + 1, numbers})),
                  {"value weights", "[13, 6]", "[12, 6]"});
    expectRefused(with(someMeans(), someMatrices(), random({2, cells, numbers})), {"values", "[2, 12, 5]"});
    expectRefused(with(someMeans().to(at::kInt), someMatrices(), values), {"mean", "floating"});
    expectRefused(with({}, someMatrices(), values), {"mean"});
    expectRefused([&] { continuousContext2d(someMeans(), someMatrices(), values, given,
                                            at::ones({batch, cells + 1}, at::kBool)); },
                  {"mask", "[3, 12]", "[3, 13]"});
    ContinuousAttention2d none = given;
    none.basis.clear();
    expectRefused([&] { basisExpectations2d(someMeans(), someMatrices(), none); }, {"basis function", "0"});
}

TEST(ContinuousFunction2d, weights_out_of_their_domain_are_refused_with_their_place) {
    const at::Tensor values = random({cells, numbers});
    const auto with = [&](const at::Tensor& weights, GridShape shape) {
        return [=] { continuousContextOfWeights2d(weights, {}, values, attention(2), shape); };
    };
    at::Tensor weights = at::ones({batch, cells}, at::kDouble);
    weights[2][7] = -0.5;
    expectRefused(with(weights, grid), {"-0.5", "row 2", "cell 7"});
    weights[2][7] = nan;
    expectRefused(with(weights, grid), {"nan", "row 2", "cell 7"});
    expectRefused(with(at::ones({batch, cells}, at::kDouble), {3, 5}), {"3 x 5", "15", "[3, 12]"});
    expectRefused(with(at::ones({batch, cells}, at::kDouble), {0, 12}), {"0 x 12"});
}

TEST(ContinuousFunction2d, alpha_and_temperature_out_of_range_are_refused) {
    const at::Tensor values = random({cells, numbers});
    const auto with = [&](double alpha, double temperature) {
        auto given = attention(2);
        given.density = {alpha, temperature};
        return [=] { continuousContext2d(someMeans(), someMatrices(), values, given); };
    };
    expectRefused(with(-1, 1), {"alpha", "above 0", "-1"});
    expectRefused(with(0.4, 1), {"alpha", "above 1/2", "0.4"});
    expectRefused(with(2, 0), {"temperature", "above 0", "0"});
}

TEST(ContinuousFunction2d, has_no_second_derivatives) {
    const at::Tensor mean = learned(someMeans());
    const at::Tensor loss =
        continuousContext2d(mean, someMatrices(), random({cells, numbers}), attention(2)).sum();
    expectRefused([&] { torch::autograd::grad({loss}, {mean}, {}, true, true); }, {"second derivatives"});
}

}  // namespace
}  // namespace fovea::training
