// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/row_shares.h"

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>
#include <vector>

namespace fovea {

void inShares(std::size_t rows, std::size_t workers,
              const std::function<void(std::size_t worker, std::size_t first, std::size_t past)>& work) {
    if (workers == 1) return work(0, 0, rows);
    constexpr std::size_t runsOfEach = 16;
    const std::size_t run = std::max<std::size_t>(1, rows / (workers * runsOfEach));
    std::atomic<std::size_t> next = 0;
    const auto serve = [&](std::size_t worker) {
        for (std::size_t first = next.fetch_add(run); first < rows; first = next.fetch_add(run)) {
            work(worker, first, std::min(first + run, rows));
        }
    };
    std::vector<std::jthread> helpers;
    try {
        for (std::size_t worker = 1; worker < workers; ++worker) helpers.emplace_back(serve, worker);
    } catch (const std::system_error&) {
    }
    serve(0);
}

}  // namespace fovea
