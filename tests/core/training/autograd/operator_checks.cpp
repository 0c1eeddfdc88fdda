// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/training/autograd/operator_checks.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

namespace fovea::test {

at::Tensor learned(const at::Tensor& tensor) { return tensor.detach().clone().requires_grad_(); }

at::Tensor random(at::IntArrayRef shape, double scale) {
    return at::randn(shape, at::TensorOptions(at::kDouble)) * scale;
}

double largestDifference(const at::Tensor& a, const at::Tensor& b) {
    return a.numel() == 0 ? 0 : (a - b).abs().max().item<double>();
}

at::Tensor differences(at::Tensor tensor, double step, const std::function<double()>& loss) {
    at::Tensor slopes = at::empty_like(tensor);
    double* const values = tensor.data_ptr<double>();
    for (std::int64_t i = 0; i < tensor.numel(); ++i) {
        const double kept = values[i];
        const auto lossAt = [&](double distance) {
            values[i] = kept + distance;
            return loss();
        };
        const double slope =
            8 * (lossAt(step) - lossAt(-step)) - (lossAt(2 * step) - lossAt(-2 * step));
        slopes.data_ptr<double>()[i] = slope / (12 * step);
        values[i] = kept;
    }
    return slopes;
}

std::string refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

void expectRefused(const std::function<void()>& work, const std::vector<std::string>& parts) {
    const std::string message = refusal(work);
    for (const std::string& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "“" << part << "” in: " << message;
    }
}

}  // namespace fovea::test
