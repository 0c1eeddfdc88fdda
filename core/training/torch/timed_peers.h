// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>

#include "core/support/result.h"
#include "core/trace/model_runtime.h"

namespace fovea::training {

/// See ModelRuntime. Errors: sizes that do not fit each other.
Result<double> timedSoftmax(std::span<const float> scores, std::size_t columns, std::span<float> weights);
Result<double> timedSoftmaxBackward(std::span<const float> weights, std::span<const float> upstream,
                                    std::size_t columns, std::span<float> gradient);
Result<double> timedAttention(std::span<const float> states, std::span<const float> queries,
                              std::size_t width, QueryOrder order, std::span<float> answers);

}  // namespace fovea::training
