// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/mechanism/row_shares.h"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

namespace fovea {

void inShares(std::size_t rows, std::size_t shares,
              const std::function<void(std::size_t share, std::size_t first, std::size_t past)>& work) {
    const auto border = [&](std::size_t share) {
        return rows / shares * share + std::min(share, rows % shares);
    };
    const auto run = [&](std::size_t share) { work(share, border(share), border(share + 1)); };
    std::vector<std::jthread> helpers;
    std::size_t started = 1;
    try {
        for (; started < shares; ++started) helpers.emplace_back(run, started);
    } catch (const std::system_error&) {
    }
    run(0);
    for (std::size_t share = started; share < shares; ++share) run(share);
}

}  // namespace fovea
