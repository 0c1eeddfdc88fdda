// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/continuous_function_1d.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/mechanism/expectation_1d.h"
#include "core/training/torch/value_context.h"

namespace fovea::training {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Values and derivatives (batch, J).
struct RowExpectations {
    at::Tensor value;
    at::Tensor byMean;
    at::Tensor bySpread;
};

std::vector<Density1d> densitiesOf(const at::Tensor& mean, const at::Tensor& spread,
                                   const ContinuousAttention1d& attention) {
    std::vector<Density1d> densities;
    densities.reserve(static_cast<std::size_t>(mean.size(0)));
    for (std::int64_t row = 0; row < mean.size(0); ++row) {
        const Moments1d moments{mean.data_ptr<double>()[row], spread.data_ptr<double>()[row]};
        const auto density = Density1d::fromMoments(moments, attention.matching, attention.density);
        TORCH_CHECK(density.has_value(), "continuous attention: row ", row, " of ", mean.size(0), ": ",
                    density.error().message);
        densities.push_back(*density);
    }
    return densities;
}

void writeRow(const Density1d& density, double spread, const ContinuousAttention1d& attention,
              std::span<Expectation1d> buffer, const RowExpectations& out, std::int64_t row) {
    expectations(density, attention.basis, buffer);
    const auto at = static_cast<std::size_t>(row) * buffer.size();
    for (std::size_t j = 0; j < buffer.size(); ++j) {
        out.value.data_ptr<double>()[at + j] = buffer[j].value;
        out.byMean.data_ptr<double>()[at + j] = buffer[j].byMean;
        // A matched length is proportional to the square root of the spread, at every temperature.
        out.bySpread.data_ptr<double>()[at + j] = attention.matching == MomentMatching::Moments
                                                      ? buffer[j].byLogLength / (2 * spread)
                                                      : buffer[j].byScale;
    }
}

RowExpectations rowExpectations(const at::Tensor& mean, const at::Tensor& spread,
                                const ContinuousAttention1d& attention) {
    const auto densities = densitiesOf(mean, spread, attention);
    const auto width = static_cast<std::int64_t>(attention.basis.size());
    const auto empty = [&] { return at::empty({mean.size(0), width}, mean.options()); };
    const RowExpectations out{empty(), empty(), empty()};
    constexpr std::int64_t rowsPerPart = 8;
    at::parallel_for(0, mean.size(0), rowsPerPart, [&](std::int64_t first, std::int64_t last) {
        std::vector<Expectation1d> buffer(attention.basis.size());
        for (std::int64_t row = first; row < last; ++row) {
            writeRow(densities[static_cast<std::size_t>(row)], spread.data_ptr<double>()[row], attention,
                     buffer, out, row);
        }
    });
    return out;
}

/// The operator on means and spreads; everything around it is LibTorch's own.
class BasisExpectationsFunction : public torch::autograd::Function<BasisExpectationsFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& mean, const at::Tensor& spread,
                              const ContinuousAttention1d& attention) {
        const RowExpectations rows = rowExpectations(mean, spread, attention);
        context->save_for_backward({rows.byMean, rows.bySpread});
        return rows.value;
    }

    static variable_list backward(AutogradContext* context, variable_list upstream) {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "continuous attention has no second derivatives: backward without create_graph");
        const variable_list saved = context->get_saved_variables();
        return {(upstream[0] * saved[0]).sum(1), (upstream[0] * saved[1]).sum(1), at::Tensor()};
    }
};

/// Numbers of one axis.
at::Tensor lineOf(const at::Tensor& tensor, const char* name) {
    at::Tensor numbers = numbersOf(tensor, name);
    TORCH_CHECK(numbers.dim() == 1, "continuous attention: ", name, " must have 1 axis, found shape ",
                numbers.sizes());
    return numbers;
}

void checkBasis(const ContinuousAttention1d& attention) {
    TORCH_CHECK(!attention.basis.empty(),
                "continuous attention: expected at least one basis function, found 0");
    for (std::size_t j = 0; j < attention.basis.size(); ++j) {
        const auto [centre, deviation] = attention.basis[j];
        TORCH_CHECK(std::isfinite(centre) && deviation > 0 && std::isfinite(deviation),
                    "continuous attention: basis function ", j,
                    " must have a finite centre and a finite deviation above 0, found centre ", centre,
                    ", deviation ", deviation);
    }
}

at::Tensor positionsOf(const at::Tensor& index, const at::Tensor& count, Positions positions) {
    if (positions == Positions::Paper) return (index + 1) / count;
    if (positions == Positions::Midpoint) return (index + 0.5) / count;
    return at::where(count > 1, index / (count - 1).clamp_min(1), at::full_like(index, 0.5));
}

}  // namespace

at::Tensor basisExpectations1d(const at::Tensor& mean, const at::Tensor& spread,
                               const ContinuousAttention1d& attention) {
    const at::Tensor means = lineOf(mean, "mean"), spreads = lineOf(spread, "spread");
    TORCH_CHECK(means.sizes() == spreads.sizes(),
                "continuous attention: mean and spread must have one shape, found ", means.sizes(), " and ",
                spreads.sizes());
    checkBasis(attention);
    return BasisExpectationsFunction::apply(means.contiguous(), spreads.contiguous(), attention);
}

at::Tensor continuousContext1d(const at::Tensor& mean, const at::Tensor& spread, const at::Tensor& values,
                               const ContinuousAttention1d& attention, const at::Tensor& mask) {
    return contextsOf(basisExpectations1d(mean, spread, attention), {values, attention.valueWeights, mask});
}

TensorMoments1d weightedMoments1d(const at::Tensor& weights, const at::Tensor& mask, WeightMoments1d options,
                                  bool ownLattice) {
    const at::Tensor numbers = realWeights(weights, mask, "token");
    const std::int64_t length = numbers.size(1);
    const bool counted = ownLattice && mask.defined();
    const at::Tensor index = counted ? (mask.cumsum(1) - 1).to(at::kDouble)
                                     : at::arange(length, numbers.options()).unsqueeze(0);
    const at::Tensor count =
        counted ? mask.sum(1, true).clamp_min(1).to(at::kDouble)
                : at::full({1, 1}, static_cast<double>(std::max<std::int64_t>(length, 1)), numbers.options());
    const at::Tensor places = positionsOf(index, count, options.positions);
    const at::Tensor sum = numbers.sum(1, true);
    const at::Tensor empty = sum == 0;
    const at::Tensor shares = numbers / at::where(empty, at::ones_like(sum), sum);
    const at::Tensor mean = (shares * places).sum(1, true);
    const at::Tensor distance = places - mean;
    at::Tensor variance = (shares * distance * distance).sum(1, true);
    const at::Tensor cell = (1 / (12 * count * count)).expand_as(variance);
    if (options.floor == VarianceFloor::Cell) variance = variance + cell;
    if (options.floor == VarianceFloor::Clip) variance = at::where(variance >= cell, variance, cell);
    return {at::where(empty, at::full_like(mean, 0.5), mean).squeeze(1),
            at::where(empty, at::ones_like(variance), variance).squeeze(1)};
}

at::Tensor continuousContextOfWeights1d(const at::Tensor& weights, const at::Tensor& mask,
                                        const at::Tensor& values, const ContinuousAttention1d& attention,
                                        WeightMoments1d options) {
    const at::Tensor real = realWeights(weights, mask, "token");
    TORCH_CHECK(values.defined() && values.dim() >= 2 && values.size(-2) == real.size(1),
                "continuous attention: weights of shape ", real.sizes(),
                " (batch, tokens) and values of shape ", values.sizes(), " must have as many tokens");
    const bool ownLattice = attention.valueWeights.defined() && attention.valueWeights.dim() == 3;
    const TensorMoments1d moments = weightedMoments1d(weights, mask, options, ownLattice);
    return zeroWithoutWeight(continuousContext1d(moments.mean, moments.variance, values, attention, mask),
                             real);
}

}  // namespace fovea::training
