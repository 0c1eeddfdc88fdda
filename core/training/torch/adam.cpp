// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/adam.h"

#include <cmath>

#include <ATen/core/grad_mode.h>

namespace fovea::training {

Adam::Adam(std::vector<at::Tensor> weights, AdamSettings settings)
    : settings_(settings), weights_(std::move(weights)) {
    for (const at::Tensor& weight : weights_) {
        means_.push_back(at::zeros_like(weight));
        squares_.push_back(at::zeros_like(weight));
    }
}

void Adam::step(const std::vector<at::Tensor>& gradients, double rate) {
    const at::NoGradGuard noGraph;
    ++steps_;
    const auto time = static_cast<double>(steps_);
    const double meanScale = 1 - std::pow(settings_.beta1, time);
    const double squareScale = 1 - std::pow(settings_.beta2, time);
    for (std::size_t i = 0; i < weights_.size(); ++i) {
        at::Tensor& weight = weights_[i];
        const at::Tensor& gradient = gradients[i];
        if (weight.dim() > 1) weight.mul_(1 - rate * settings_.weightDecay);
        means_[i].mul_(settings_.beta1).add_(gradient, 1 - settings_.beta1);
        squares_[i].mul_(settings_.beta2).addcmul_(gradient, gradient, 1 - settings_.beta2);
        const at::Tensor scale = (squares_[i] / squareScale).sqrt_().add_(settings_.epsilon);
        weight.addcdiv_(means_[i], scale, -rate / meanScale);
    }
}

void cutToNorm(const std::vector<at::Tensor>& gradients, double longest) {
    double sum = 0;
    for (const at::Tensor& gradient : gradients) {
        const double norm = gradient.norm().item<double>();
        sum += norm * norm;
    }
    const double length = std::sqrt(sum);
    if (!(length > longest)) return;
    for (at::Tensor gradient : gradients) gradient.mul_(longest / length);
}

}  // namespace fovea::training
