// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/timed_peers.h"

#include <chrono>

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "core/model/torch/threads.h"

namespace fovea::training {

namespace {

/// Memory of the caller as (rows, columns).
at::Tensor rowsOver(std::span<const float> values, std::size_t columns) {
    return at::from_blob(
        const_cast<float*>(values.data()),
        {static_cast<std::int64_t>(values.size() / columns), static_cast<std::int64_t>(columns)},
        at::TensorOptions(at::kFloat));
}

Result<void> checkRows(std::size_t size, std::size_t columns, std::size_t other) {
    if (columns > 0 && size % columns == 0 && size == other) return {};
    return fail(fmt::format("{} and {} numbers are no rows of {}", size, other, columns));
}

template <class Work>
double secondsOf(Work&& work) {
    const c10::NoGradGuard noGraph;
    model::chooseThreads(1, 1);  // small: one thread, of the matrix products too
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// softmax(q states^T) states for each row q.
void attend(const at::Tensor& queries, const at::Tensor& states, at::Tensor answers) {
    at::matmul_out(answers, at::softmax(at::matmul(queries, states.t()), -1), states);
}

}  // namespace

Result<double> timedSoftmax(std::span<const float> scores, std::size_t columns, std::span<float> weights) {
    if (auto fits = checkRows(scores.size(), columns, weights.size()); !fits)
        return std::unexpected(fits.error());
    const at::Tensor input = rowsOver(scores, columns);
    at::Tensor output = rowsOver(weights, columns);
    return secondsOf([&] { at::_softmax_out(output, input, -1, false); });
}

Result<double> timedSoftmaxBackward(std::span<const float> weights, std::span<const float> upstream,
                                    std::size_t columns, std::span<float> gradient) {
    for (const std::size_t other : {upstream.size(), gradient.size()}) {
        if (auto fits = checkRows(weights.size(), columns, other); !fits)
            return std::unexpected(fits.error());
    }
    const at::Tensor output = rowsOver(weights, columns);
    const at::Tensor outputGradient = rowsOver(upstream, columns);
    at::Tensor inputGradient = rowsOver(gradient, columns);
    return secondsOf([&] {
        at::_softmax_backward_data_out(inputGradient, outputGradient, output, -1, at::kFloat);
    });
}

Result<double> timedAttention(std::span<const float> states, std::span<const float> queries,
                              std::size_t width, QueryOrder order, std::span<float> answers) {
    if (auto fits = checkRows(states.size(), width, states.size()); !fits)
        return std::unexpected(fits.error());
    if (auto fits = checkRows(queries.size(), width, answers.size()); !fits)
        return std::unexpected(fits.error());
    const at::Tensor remembered = rowsOver(states, width);
    const at::Tensor asked = rowsOver(queries, width);
    const at::Tensor given = rowsOver(answers, width);
    if (order == QueryOrder::Together) return secondsOf([&] { attend(asked, remembered, given); });
    return secondsOf([&] {
        for (std::int64_t i = 0; i < asked.size(0); ++i) {
            attend(asked.narrow(0, i, 1), remembered, given.narrow(0, i, 1));
        }
    });
}

}  // namespace fovea::training
