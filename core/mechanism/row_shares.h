// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>

// Private to core/mechanism.
namespace fovea {

/// Calls `work(share, first, past)` for every share of [0, rows): equal runs of rows, each in a thread of
/// its own, the first in this one. Waits for all. `work` does not throw. A thread that the system refuses
/// is done without: its share is worked on here.
void inShares(std::size_t rows, std::size_t shares,
              const std::function<void(std::size_t share, std::size_t first, std::size_t past)>& work);

}  // namespace fovea
