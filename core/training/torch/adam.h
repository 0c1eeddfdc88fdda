// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <vector>

#include <ATen/ATen.h>

namespace fovea::training {

struct AdamSettings {
    double beta1 = 0.9;
    double beta2 = 0.999;
    double epsilon = 1e-8;
    double weightDecay = 0;
};

/// Adam [K15] with decoupled weight decay [L19]. With gradient g at step t, rate r:
///
///     m = beta1 m + (1 - beta1) g,      v = beta2 v + (1 - beta2) g^2
///     w = w - r decay w - r (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
///
/// Vectors (biases, factors of norms) do not decay.
class Adam {
public:
    Adam(std::vector<at::Tensor> weights, AdamSettings settings);

    /// One step; `gradients` in the order of the weights, which change in place.
    void step(const std::vector<at::Tensor>& gradients, double rate);

private:
    AdamSettings settings_;
    std::vector<at::Tensor> weights_;
    std::vector<at::Tensor> means_;
    std::vector<at::Tensor> squares_;
    std::size_t steps_ = 0;
};

/// Scales the gradients in place so that their common Euclidean norm is at most `longest`.
void cutToNorm(const std::vector<at::Tensor>& gradients, double longest);

}  // namespace fovea::training
