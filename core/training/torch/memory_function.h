// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <ATen/core/Tensor.h>

namespace fovea::training {

/// A batch of sequences that are remembered. Floating-point tensors on the CPU; all but the states may be
/// undefined: then there is no gate, or a and b are 1.
struct MemoryTensors {
    at::Tensor states;      ///< H, (batch, n, k)
    at::Tensor gateWeight;  ///< W, (k, k): f = sigmoid(W h + b) * h; with a bias, or neither
    at::Tensor gateBias;    ///< b, (k)
    at::Tensor decay;       ///< a, (batch, n): C_t = a_t C_(t-1) + b_t f_t f_t'
    at::Tensor input;       ///< b of the same, (batch, n)
    at::Tensor mask;        ///< bool (batch, n), true at real tokens; undefined: all are real
};

/// R (batch, m, k) of lookups in linear or gated linear memories, R_i = C q_i, which LibTorch differentiates
/// by states, gate, decay, input and queries.
/// queries: Q, (batch, m, k), floating.
/// times: whole numbers (batch, m), 0 to n: the lookup is made after that many positions. Undefined: after
///     the last.
/// A position outside the mask changes nothing, whatever it holds (NaN, say), as if the sequence were shorter;
/// its gradients are 0. The result has the states' type; everything is computed in double. Backward solves
/// the forward walk again and keeps no memory but the one in hand (`memoryGradient`): O(k^2) a sequence,
/// O(sqrt(n) k^2) where decays come close to 0. LibTorch's threads share the sequences; the result does not
/// depend on their number. Second derivatives are not offered.
/// Throws c10::Error with what was expected and found: shapes, types, devices, times out of range, half a
/// gate, create_graph. Cost: O(batch (n + m) k^2). Source: [B16] sec. 3-4.
at::Tensor memoryLookup(const MemoryTensors& memory, const at::Tensor& queries, const at::Tensor& times = {});

}  // namespace fovea::training
