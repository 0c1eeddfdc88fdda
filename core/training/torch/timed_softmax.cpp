// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/timed_softmax.h"

#include <chrono>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <fmt/format.h>

namespace fovea::training {

Result<std::vector<double>> timedSoftmax(std::span<const float> scores, std::size_t columns,
                                         std::size_t repetitions) {
    if (columns == 0 || scores.size() % columns != 0) {
        return fail(fmt::format("softmax: {} scores are no rows of {}", scores.size(), columns));
    }
    at::set_num_threads(1);
    const at::Tensor rows = at::from_blob(const_cast<float*>(scores.data()),
                                          {static_cast<std::int64_t>(scores.size() / columns),
                                           static_cast<std::int64_t>(columns)},
                                          at::TensorOptions(at::kFloat));
    const at::Tensor weights = at::empty_like(rows);
    std::vector<double> seconds;
    for (std::size_t i = 0; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        at::_softmax_out(const_cast<at::Tensor&>(weights), rows, -1, false);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return seconds;
}

}  // namespace fovea::training
