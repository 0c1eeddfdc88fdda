// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>

namespace fovea::training {

/// entmax(scores/T) of every row along `axis`, which LibTorch differentiates by scores, alpha and T.
///
/// scores: any shape of at least one axis, on the CPU, double, float, half or bfloat16; the result has their
///     shape and type. Scores of -infinity (at or below `maskedScore`) are masked; infinity and NaN as there.
/// alpha >= 1, temperature >= 0: floating-point tensors that broadcast against the scores with `axis` of
///     extent 1: a single number, or one for each head, (heads, 1, 1) for scores (heads, queries, keys). Both
///     may be learned. In the limits (`entmaxGradient`) gradients are 0.
/// mask: bool, broadcasts against the scores, true where a key may be attended; undefined: all may. A row
///     without a key is 0 and gives no gradient.
/// axis: -1 is the last.
/// Rows of every type are computed in double, from elements converted one by one (16-bit types through
/// float); so are gradients, for which weights are solved again from the scores. LibTorch's threads share the
/// rows; the result does not depend on their number. Second derivatives are not offered.
/// Throws c10::Error with what was expected and what was found: alpha below 1 or NaN, temperature below 0 or
/// NaN, other types or devices, shapes that do not broadcast, an axis that is not there, create_graph.
/// Cost: forward that of `fovea::entmax` for each row, backward twice that.
at::Tensor entmax(const at::Tensor& scores, const at::Tensor& alpha, const at::Tensor& temperature,
                  const at::Tensor& mask = {}, std::int64_t axis = -1);

}  // namespace fovea::training
