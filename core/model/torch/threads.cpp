// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/threads.h"

#include <dlfcn.h>

#include <algorithm>
#include <thread>

#include <ATen/Parallel.h>

namespace fovea::model {

namespace {

// Multiply-adds of one layer that one thread does in 2 to 4 ms.
constexpr double smallLayer = 64e6;

// A transformer layer holds about 12 hidden^2 weights, each used once a position.
bool small(std::size_t positions, std::size_t hiddenSize) {
    return 12.0 * static_cast<double>(positions) * static_cast<double>(hiddenSize) *
               static_cast<double>(hiddenSize) <=
           smallLayer;
}

// OpenBLAS has threads of its own, which OpenMP's number does not reach; another BLAS lacks the call.
void setBlasThreads(int count) {
    static const auto set = reinterpret_cast<void (*)(int)>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
    if (set) set(count);
}

}  // namespace

void chooseThreads(std::size_t positions, std::size_t hiddenSize) {
    const int processors = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int count = small(positions, hiddenSize) ? 1 : processors;
    at::set_num_threads(count);
    setBlasThreads(count);
}

}  // namespace fovea::model
