// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/value_context.h"

#include <ATen/ATen.h>

namespace fovea::training {

namespace {

/// G in double, (L, J) or (batch, L, J).
at::Tensor checkedValueWeights(const at::Tensor& given, std::int64_t batch, std::int64_t length,
                               std::int64_t width) {
    const at::Tensor weights = numbersOf(given, "value weights").detach();
    const bool axes = weights.dim() == 2 || (weights.dim() == 3 && weights.size(0) == batch);
    TORCH_CHECK(axes && weights.size(-1) == width && weights.size(-2) == length,
                "continuous attention: value weights must have shape ", at::IntArrayRef({length, width}),
                " or ", at::IntArrayRef({batch, length, width}),
                " (batch, positions, basis functions), found ", weights.sizes());
    return weights;
}

}  // namespace

at::Tensor numbersOf(const at::Tensor& tensor, const char* name) {
    TORCH_CHECK(tensor.defined(), "continuous attention: ", name, " must be defined");
    TORCH_CHECK(tensor.is_floating_point() && tensor.device().is_cpu(), "continuous attention: ", name,
                " must be floating-point numbers on the CPU, found ", tensor.scalar_type(), " on ",
                tensor.device());
    return tensor.to(at::kDouble);
}

at::Tensor checkedMask(const at::Tensor& mask, std::int64_t batch, std::int64_t length) {
    if (!mask.defined()) return mask;
    TORCH_CHECK(mask.scalar_type() == at::kBool && mask.device().is_cpu(),
                "continuous attention: mask must be bool on the CPU, found ", mask.scalar_type(), " on ",
                mask.device());
    TORCH_CHECK(mask.dim() == 2 && mask.size(0) == batch && mask.size(1) == length,
                "continuous attention: mask must have shape ", at::IntArrayRef({batch, length}), ", found ",
                mask.sizes());
    return mask;
}

at::Tensor realWeights(const at::Tensor& weights, const at::Tensor& mask, const char* position) {
    at::Tensor numbers = numbersOf(weights, "weights");
    TORCH_CHECK(numbers.dim() == 2, "continuous attention: weights must have 2 axes (batch, ", position,
                "s), found shape ", numbers.sizes());
    const at::Tensor real = checkedMask(mask, numbers.size(0), numbers.size(1));
    if (real.defined()) numbers = at::where(real, numbers, at::zeros_like(numbers));
    const at::Tensor wrong = ((numbers >= 0) & numbers.isfinite()).logical_not().nonzero();
    if (wrong.size(0) > 0) {
        const auto row = wrong[0][0].item<std::int64_t>(), place = wrong[0][1].item<std::int64_t>();
        TORCH_CHECK(false, "continuous attention: weights must be finite and at least 0, found ",
                    numbers[row][place].item<double>(), " at row ", row, ", ", position, " ", place);
    }
    return numbers;
}

at::Tensor contextsOf(const at::Tensor& expectations, const ContextParts& parts) {
    at::Tensor numbers = numbersOf(parts.values, "values");
    const std::int64_t batch = expectations.size(0);
    TORCH_CHECK(numbers.dim() == 2 || (numbers.dim() == 3 && numbers.size(0) == batch),
                "continuous attention: beside ", batch,
                " means values must have shape (positions, numbers) or (", batch,
                ", positions, numbers), found ", numbers.sizes());
    const std::int64_t length = numbers.size(-2);
    const at::Tensor weights = checkedValueWeights(parts.valueWeights, batch, length, expectations.size(1));
    const at::Tensor real = checkedMask(parts.mask, batch, length);
    at::Tensor shares = weights.dim() == 2 ? expectations.matmul(weights.t())
                                           : weights.bmm(expectations.unsqueeze(2)).squeeze(2);
    if (real.defined()) {
        // Not by products: padding may hold anything, NaN too.
        shares = at::where(real, shares, at::zeros_like(shares));
        if (numbers.dim() == 2) numbers = numbers.unsqueeze(0).expand({batch, -1, -1});
        numbers = at::where(real.unsqueeze(2), numbers, at::zeros_like(numbers));
    }
    const at::Tensor contexts =
        numbers.dim() == 2 ? shares.matmul(numbers) : shares.unsqueeze(1).bmm(numbers).squeeze(1);
    return contexts.to(parts.values.scalar_type());
}

at::Tensor zeroWithoutWeight(const at::Tensor& contexts, const at::Tensor& weights) {
    const at::Tensor empty = (weights.detach().sum(1, true) == 0).expand_as(contexts);
    return at::where(empty, at::zeros_like(contexts), contexts);
}

}  // namespace fovea::training
