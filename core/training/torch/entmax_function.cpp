// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/entmax_function.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include "core/mechanism/entmax.h"
#include "core/mechanism/entmax_gradient.h"

namespace fovea::training {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Scores (rows, keys), alphas and temperatures (rows), in C order.
struct RowTensors {
    at::Tensor scores;
    at::Tensor alphas;
    at::Tensor temperatures;

    std::int64_t rows() const { return scores.size(0); }
    std::size_t keys() const { return static_cast<std::size_t>(scores.size(1)); }
    EntmaxParameters parameters(std::int64_t row) const {
        return {.alpha = alphas.data_ptr<double>()[row], .temperature = temperatures.data_ptr<double>()[row]};
    }
};

template <class T>
std::span<T> rowOf(const at::Tensor& rows, std::int64_t row) {
    const auto keys = static_cast<std::size_t>(rows.size(1));
    return {rows.data_ptr<T>() + static_cast<std::size_t>(row) * keys, keys};
}

/// Calls work(first, last) for parts of the rows, side by side where there is enough to do.
template <class Work>
void shareRows(const RowTensors& tensors, Work work) {
    constexpr std::int64_t elementsPerPart = 1 << 14;
    const auto keys = static_cast<std::int64_t>(tensors.keys());
    const std::int64_t rowsPerPart =
        std::max<std::int64_t>(1, elementsPerPart / std::max<std::int64_t>(keys, 1));
    at::parallel_for(0, tensors.rows(), rowsPerPart, work);
}

template <class T>
at::Tensor solvedRows(const RowTensors& tensors) {
    at::Tensor weights = at::empty_like(tensors.scores);
    shareRows(tensors, [&](std::int64_t first, std::int64_t last) {
        EntmaxWorkspace workspace;
        for (std::int64_t row = first; row < last; ++row) {
            fovea::entmax(std::span<const T>(rowOf<T>(tensors.scores, row)), tensors.parameters(row),
                          rowOf<T>(weights, row), workspace);
        }
    });
    return weights;
}

struct RowGradients {
    at::Tensor scores;
    at::Tensor alphas;
    at::Tensor temperatures;
};

template <class T>
RowGradients gradientsOf(const RowTensors& tensors, const at::Tensor& upstream, bool byParameters) {
    const RowGradients gradients{at::empty_like(tensors.scores), at::zeros_like(tensors.alphas),
                                 at::zeros_like(tensors.temperatures)};
    double* const byAlpha = gradients.alphas.data_ptr<double>();
    double* const byTemperature = gradients.temperatures.data_ptr<double>();
    shareRows(tensors, [&](std::int64_t first, std::int64_t last) {
        EntmaxWorkspace workspace;
        std::vector<double> scores(tensors.keys()), weights(scores.size()), slopes(scores.size()),
            found(scores.size());
        for (std::int64_t row = first; row < last; ++row) {
            std::ranges::copy(rowOf<T>(tensors.scores, row), scores.begin());
            std::ranges::copy(rowOf<T>(upstream, row), slopes.begin());
            const EntmaxPoint<double> point{scores, weights, tensors.parameters(row)};
            fovea::entmax(point.scores, point.parameters, std::span<double>(weights), workspace);
            if (byParameters) {
                const auto gradient = entmaxGradient(point, slopes, std::span<double>(found));
                byAlpha[row] = gradient.alpha;
                byTemperature[row] = gradient.temperature;
            } else {
                entmaxJacobianProduct(point, slopes, std::span<double>(found));
            }
            std::ranges::transform(found, rowOf<T>(gradients.scores, row).begin(),
                                   [](double value) { return static_cast<T>(value); });
        }
    });
    return gradients;
}

/// The operator on rows; everything around it is LibTorch's own.
class EntmaxRowsFunction : public torch::autograd::Function<EntmaxRowsFunction> {
public:
    static at::Tensor forward(AutogradContext* context, const at::Tensor& scores, const at::Tensor& alphas,
                              const at::Tensor& temperatures) {
        context->save_for_backward({scores, alphas, temperatures});
        // The powers and logarithms of their derivatives are spared where nobody asks.
        context->saved_data["byParameters"] = alphas.requires_grad() || temperatures.requires_grad();
        const RowTensors tensors{scores, alphas, temperatures};
        return scores.scalar_type() == at::kDouble ? solvedRows<double>(tensors) : solvedRows<float>(tensors);
    }

    static variable_list backward(AutogradContext* context, variable_list upstream) {
        TORCH_CHECK(!at::GradMode::is_enabled(),
                    "entmax has no second derivatives: backward without create_graph");
        const variable_list saved = context->get_saved_variables();
        const RowTensors tensors{saved[0], saved[1], saved[2]};
        const bool byParameters = context->saved_data["byParameters"].toBool();
        const at::Tensor slopes = upstream[0].contiguous();
        const RowGradients gradients = tensors.scores.scalar_type() == at::kDouble
                                           ? gradientsOf<double>(tensors, slopes, byParameters)
                                           : gradientsOf<float>(tensors, slopes, byParameters);
        return {gradients.scores, gradients.alphas, gradients.temperatures};
    }
};

std::int64_t checkedAxis(const at::Tensor& scores, std::int64_t axis) {
    TORCH_CHECK(scores.defined(), "entmax: scores are undefined");
    const auto type = scores.scalar_type();
    const bool floating =
        type == at::kDouble || type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
    TORCH_CHECK(floating, "entmax: scores must be double, float, half or bfloat16, found ", type);
    TORCH_CHECK(scores.device().is_cpu(), "entmax: scores must be on the CPU, found ", scores.device());
    const std::int64_t axes = scores.dim();
    TORCH_CHECK(axes > 0, "entmax: scores need at least one axis, found a single number");
    TORCH_CHECK(axis >= -axes && axis < axes, "entmax: axis ", axis, " is not one of scores of shape ",
                scores.sizes(), ", whose axes are ", -axes, " to ", axes - 1);
    return axis < 0 ? axis + axes : axis;
}

at::Tensor broadcast(const at::Tensor& tensor, at::IntArrayRef shape, const char* name) {
    bool fits = tensor.dim() <= static_cast<std::int64_t>(shape.size());
    for (std::int64_t axis = 1; fits && axis <= tensor.dim(); ++axis) {
        const std::int64_t extent = tensor.size(-axis);
        fits = extent == 1 || extent == shape[shape.size() - static_cast<std::size_t>(axis)];
    }
    TORCH_CHECK(fits, "entmax: ", name, " of shape ", tensor.sizes(), " does not broadcast to ", shape);
    return tensor.expand(shape);
}

/// One number for each row, once every number is in its domain.
at::Tensor rowParameter(const at::Tensor& parameter, at::IntArrayRef rowShape, const char* name,
                        EntmaxParameters (*asParameters)(double)) {
    TORCH_CHECK(parameter.defined() && parameter.is_floating_point() && parameter.device().is_cpu(),
                "entmax: ", name, " must be a floating-point tensor on the CPU");
    // Converted first, so that the gradient is summed over rows in double.
    const at::Tensor converted = parameter.to(at::kDouble);
    const at::Tensor numbers = converted.detach().contiguous();
    for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        const auto result = checked(asParameters(numbers.data_ptr<double>()[i]));
        TORCH_CHECK(result.has_value(), "entmax: ", result.error().message);
    }
    return broadcast(converted, rowShape, name).reshape({-1}).contiguous();
}

at::Tensor masked(const at::Tensor& scores, const at::Tensor& mask) {
    if (!mask.defined()) return scores;
    TORCH_CHECK(mask.scalar_type() == at::kBool, "entmax: mask must be bool, found ", mask.scalar_type());
    const at::Tensor hidden = broadcast(mask, scores.sizes(), "mask").logical_not();
    return scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace

at::Tensor entmax(const at::Tensor& scores, const at::Tensor& alpha, const at::Tensor& temperature,
                  const at::Tensor& mask, std::int64_t axis) {
    axis = checkedAxis(scores, axis);
    std::vector<std::int64_t> rowShape = scores.sizes().vec();
    rowShape[static_cast<std::size_t>(axis)] = 1;
    const at::Tensor alphas = rowParameter(alpha, rowShape, "alpha", [](double value) {
        return EntmaxParameters{.alpha = value, .temperature = 1};
    });
    const at::Tensor temperatures = rowParameter(temperature, rowShape, "temperature", [](double value) {
        return EntmaxParameters{.alpha = 1, .temperature = value};
    });
    // An operator on no element has nothing to differentiate.
    at::Tensor moved = masked(scores, mask).movedim(axis, -1);
    if (scores.numel() == 0) return moved.movedim(-1, axis).clone();
    if (scores.scalar_type() != at::kDouble) moved = moved.to(at::kFloat);
    const at::Tensor rows = moved.reshape({-1, scores.size(axis)}).contiguous();
    const at::Tensor weights = EntmaxRowsFunction::apply(rows, alphas, temperatures);
    return weights.view(moved.sizes()).movedim(-1, axis).to(scores.scalar_type());
}

}  // namespace fovea::training
