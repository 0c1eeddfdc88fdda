// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>
#include <vector>

// Tensors come with the operators.
#include "core/training/torch/entmax_function.h"

// What the tests of all operators share.
namespace fovea::test {

/// A copy whose gradient is asked for.
at::Tensor learned(const at::Tensor& tensor);

/// Normal numbers in double, of the given standard deviation.
at::Tensor random(at::IntArrayRef shape, double scale = 1);

/// 0 between tensors without elements.
double largestDifference(const at::Tensor& a, const at::Tensor& b);

/// Central differences of fourth order of `loss` by every element of `tensor`, which is left as it was.
at::Tensor differences(at::Tensor tensor, double step, const std::function<double()>& loss);

/// The message of the c10::Error that `work` throws; a failure and no text if it does not.
std::string refusal(const std::function<void()>& work);

/// That `work` is refused with a message that has every part.
void expectRefused(const std::function<void()>& work, const std::vector<std::string>& parts);

}  // namespace fovea::test
