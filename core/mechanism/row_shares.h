// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

// Private to core/mechanism.
namespace fovea {

/// Calls `work(worker, first, past)` for runs of rows that together are [0, rows), on `workers` threads, of
/// which this is number 0. Whoever is free takes the next run, since a thread that is called up begins late.
/// Waits for all. `work` does not throw. A thread that the system refuses is done without.
void inShares(std::size_t rows, std::size_t workers,
              const std::function<void(std::size_t worker, std::size_t first, std::size_t past)>& work);

}  // namespace fovea
