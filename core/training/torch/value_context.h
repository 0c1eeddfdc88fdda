// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

// Private to core/training: what continuous attention over texts and over pictures share, from expectations
// of basis functions to contexts. All throw c10::Error with what was expected and what was found.
namespace fovea::training {

/// `tensor` in double, once it is floating-point and on the CPU.
at::Tensor numbersOf(const at::Tensor& tensor, const char* name);

/// `mask` once it is bool (batch, length); undefined stays undefined.
at::Tensor checkedMask(const at::Tensor& mask, std::int64_t batch, std::int64_t length);

/// `weights` (batch, positions) in double, 0 outside the mask, once the others are finite and at least 0. A
/// fault is told with its row and its `position`, "token" or "cell".
at::Tensor realWeights(const at::Tensor& weights, const at::Tensor& mask, const char* position);

/// What contexts are made of.
struct ContextParts {
    const at::Tensor& values;        ///< H, (batch, L, D), or (L, D) shared by all rows
    const at::Tensor& valueWeights;  ///< G, (L, J) or (batch, L, J); a constant
    const at::Tensor& mask;          ///< bool (batch, L) or undefined: positions outside do not count
};

/// c_b = H_b^T (G r_b), (batch, D), of the type of the values, for expectations r (batch, J) in double.
at::Tensor contextsOf(const at::Tensor& expectations, const ContextParts& parts);

/// `contexts` (batch, D), 0 in rows whose `weights` are all 0.
at::Tensor zeroWithoutWeight(const at::Tensor& contexts, const at::Tensor& weights);

}  // namespace fovea::training
