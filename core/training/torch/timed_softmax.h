// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/support/result.h"

namespace fovea::training {

/// See ModelRuntime::softmaxSeconds. Errors: `columns` is 0 or does not divide the number of scores.
Result<std::vector<double>> timedSoftmax(std::span<const float> scores, std::size_t columns,
                                         std::size_t repetitions);

}  // namespace fovea::training
