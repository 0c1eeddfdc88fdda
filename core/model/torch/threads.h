// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>

namespace fovea::model {

/// Chooses how many threads LibTorch and its BLAS use for a run on the calling thread: one where a
/// layer is done within a few milliseconds, since waking and awaiting others costs more then, above
/// all on a busy machine; every processor else. To be called before each run, as LibTorch's number
/// belongs to the calling thread.
void chooseThreads(std::size_t positions, std::size_t hiddenSize);

}  // namespace fovea::model
