// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/continuous_function_2d.h"

#include <cmath>
#include <cstddef>
#include <span>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/mechanism/expectation_2d.h"
#include "core/training/torch/value_context.h"

namespace fovea::training {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Values (batch, J) and derivatives, (batch, J, 2) and (batch, J, 2, 2).
struct RowExpectations {
    at::Tensor value;
    at::Tensor byMean;
    at::Tensor byMatrix;
};

/// Of contiguous tensors in double.
std::vector<Density2d> densitiesOf(const at::Tensor& mean, const at::Tensor& matrix,
                                   const ContinuousAttention2d& attention) {
    std::vector<Density2d> densities;
    densities.reserve(static_cast<std::size_t>(mean.size(0)));
    for (std::int64_t row = 0; row < mean.size(0); ++row) {
        const double* const m = mean.data_ptr<double>() + 2 * row;
        const double* const s = matrix.data_ptr<double>() + 4 * row;
        Moments2d moments{{m[0], m[1]}, {}};
        moments.covariance << s[0], s[1], s[2], s[3];
        const auto density = Density2d::fromMoments(moments, attention.matching, attention.density);
        TORCH_CHECK(density.has_value(), "continuous attention: row ", row, " of ", mean.size(0), ": ",
                    density.error().message);
        densities.push_back(*density);
    }
    return densities;
}

/// dE/d(matrix of the row): a matched shape goes as temperature^(1/alpha) times the covariance, a scale is
/// the matrix times the temperature.
Eigen::Matrix2d byMatrix(const Expectation2d& expected, const ContinuousAttention2d& attention) {
    const auto [alpha, temperature] = attention.density;
    if (attention.matching == MomentMatching::Paper) return temperature * expected.byScale;
    return std::pow(temperature, 1 / alpha) * expected.byCovariance;
}

void writeRow(const Density2d& density, const ContinuousAttention2d& attention,
              std::span<Expectation2d> buffer, const RowExpectations& out, std::int64_t row) {
    expectations(density, attention.basis, buffer);
    const auto at = static_cast<std::size_t>(row) * buffer.size();
    for (std::size_t j = 0; j < buffer.size(); ++j) {
        out.value.data_ptr<double>()[at + j] = buffer[j].value;
        const Eigen::Matrix2d slope = byMatrix(buffer[j], attention);
        for (std::size_t i = 0; i < 2; ++i) {
            const auto axis = static_cast<Eigen::Index>(i);
            out.byMean.data_ptr<double>()[2 * (at + j) + i] = buffer[j].byMean(axis);
            out.byMatrix.data_ptr<double>()[4 * (at + j) + 2 * i] = slope(axis, 0);
            out.byMatrix.data_ptr<double>()[4 * (at + j) + 2 * i + 1] = slope(axis, 1);
        }
    }
}

RowExpectations rowExpectations(const at::Tensor& mean, const at::Tensor& matrix,
                                const ContinuousAttention2d& attention) {
    const auto densities = densitiesOf(mean, matrix, attention);
    const std::int64_t batch = mean.size(0);
    const auto width = static_cast<std::int64_t>(attention.basis.size());
    const RowExpectations out{at::empty({batch, width}, mean.options()),
                              at::empty({batch, width, 2}, mean.options()),
                              at::empty({batch, width, 2, 2}, mean.options())};
    at::parallel_for(0, batch, 1, [&](std::int64_t first, std::int64_t last) {
        std::vector<Expectation2d> buffer(attention.basis.size());
        for (std::int64_t row = first; row < last; ++row) {
            writeRow(densities[static_cast<std::size_t>(row)], attention, buffer, out, row);
        }
    });
    return out;
}

/// The operator on means and matrices; everything around it is LibTorch's own.
class BasisExpectationsFunction : public torch::autograd::Function<BasisExpectationsFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& mean, const at::Tensor& matrix,
                              const ContinuousAttention2d& attention) {
        const RowExpectations rows = rowExpectations(mean, matrix, attention);
        context->save_for_backward({rows.byMean, rows.byMatrix});
        return rows.value;
    }

    static variable_list backward(AutogradContext* context, variable_list upstream) {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "continuous attention has no second derivatives: backward without create_graph");
        const variable_list saved = context->get_saved_variables();
        const at::Tensor slope = upstream[0].unsqueeze(2);
        return {(slope * saved[0]).sum(1), (slope.unsqueeze(3) * saved[1]).sum(1), at::Tensor()};
    }
};

/// `weights` in double, 0 outside the mask, once they fit the grid and are in their domain.
at::Tensor cellWeights(const at::Tensor& weights, const at::Tensor& mask, GridShape grid) {
    TORCH_CHECK(grid.rows > 0 && grid.columns > 0,
                "continuous attention: a grid has rows and columns, found ", grid.rows, " x ", grid.columns);
    const at::Tensor numbers = numbersOf(weights, "weights");
    TORCH_CHECK(numbers.dim() == 2 && numbers.size(1) == grid.rows * grid.columns,
                "continuous attention: weights over ", grid.rows, " x ", grid.columns,
                " cells must have shape (batch, ", grid.rows * grid.columns, "), found ", numbers.sizes());
    return realWeights(numbers, mask, "cell");
}

/// (cells, 2): x and y of the cells' centres.
at::Tensor centresOf(GridShape grid, const at::TensorOptions& options) {
    const at::Tensor x = (at::arange(grid.columns, options) + 0.5) / static_cast<double>(grid.columns);
    const at::Tensor y = (at::arange(grid.rows, options) + 0.5) / static_cast<double>(grid.rows);
    return at::stack({x.repeat({grid.rows}), y.repeat_interleave(grid.columns)}, 1);
}

}  // namespace

at::Tensor basisExpectations2d(const at::Tensor& mean, const at::Tensor& matrix,
                               const ContinuousAttention2d& attention) {
    const at::Tensor means = numbersOf(mean, "mean"), matrices = numbersOf(matrix, "matrix");
    TORCH_CHECK(means.dim() == 2 && means.size(1) == 2,
                "continuous attention: mean must have shape (batch, 2), found ", means.sizes());
    TORCH_CHECK(matrices.dim() == 3 && matrices.size(0) == means.size(0) && matrices.size(1) == 2 &&
                    matrices.size(2) == 2,
                "continuous attention: beside ", means.size(0), " means the matrix must have shape ",
                at::IntArrayRef({means.size(0), 2, 2}), ", found ", matrices.sizes());
    TORCH_CHECK(!attention.basis.empty(),
                "continuous attention: expected at least one basis function, found 0");
    return BasisExpectationsFunction::apply(means.contiguous(), matrices.contiguous(), attention);
}

at::Tensor continuousContext2d(const at::Tensor& mean, const at::Tensor& matrix, const at::Tensor& values,
                               const ContinuousAttention2d& attention, const at::Tensor& mask) {
    return contextsOf(basisExpectations2d(mean, matrix, attention), {values, attention.valueWeights, mask});
}

TensorMoments2d weightedMoments2d(const at::Tensor& weights, const at::Tensor& mask, GridShape grid) {
    const at::Tensor numbers = cellWeights(weights, mask, grid);
    const at::Tensor centres = centresOf(grid, numbers.options());
    const at::Tensor sum = numbers.sum(1, true);
    const at::Tensor empty = sum == 0;
    const at::Tensor shares = numbers / at::where(empty, at::ones_like(sum), sum);
    const at::Tensor mean = shares.matmul(centres);
    const at::Tensor distance = centres.unsqueeze(0) - mean.unsqueeze(1);  // (batch, cells, 2)
    const at::Tensor spread = (shares.unsqueeze(2) * distance).transpose(1, 2).bmm(distance);
    const auto ofCell = [](std::int64_t count) { return 1.0 / static_cast<double>(12 * count * count); };
    const at::Tensor cell =
        at::diag(at::tensor({ofCell(grid.columns), ofCell(grid.rows)}, numbers.options()));
    // Exactly symmetric, whatever the order of the sums.
    const at::Tensor covariance = (spread + spread.transpose(1, 2)) / 2 + cell;
    const at::Tensor unit = at::eye(2, numbers.options()).expand_as(covariance);
    return {at::where(empty, at::full_like(mean, 0.5), mean),
            at::where(empty.unsqueeze(2), unit, covariance)};
}

at::Tensor continuousContextOfWeights2d(const at::Tensor& weights, const at::Tensor& mask,
                                        const at::Tensor& values, const ContinuousAttention2d& attention,
                                        GridShape grid) {
    const at::Tensor real = cellWeights(weights, mask, grid);
    TORCH_CHECK(values.defined() && values.dim() >= 2 && values.size(-2) == real.size(1),
                "continuous attention: weights of shape ", real.sizes(),
                " (batch, cells) and values of shape ", values.sizes(), " must have as many positions");
    const TensorMoments2d moments = weightedMoments2d(weights, mask, grid);
    return zeroWithoutWeight(continuousContext2d(moments.mean, moments.covariance, values, attention, mask),
                             real);
}

}  // namespace fovea::training
