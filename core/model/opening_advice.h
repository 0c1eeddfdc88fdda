// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/trace/model_info.h"

namespace fovea::model {

/// Memory that a model takes, in bytes; an estimate.
struct MemoryNeed {
    std::uint64_t weights = 0;  ///< as they are computed with, float32
    std::uint64_t run = 0;      ///< of one run on a usual input: what is recorded and what passes through

    std::uint64_t total() const { return weights + run; }
};

/// The run is estimated for 512 positions, or as many as the model has: for every site queries and
/// keys (2 widths), and once the values between layers (10 widths) and the scores of the vocabulary, each
/// 4 bytes. Never overflows: held at the largest number.
MemoryNeed memoryNeed(const ModelInfo& info);

/// What stands in the way of opening a folder as it is, and what can be done instead.
struct OpeningAdvice {
    /// Nothing is amiss but tensors of the head that the files do not have: the body can be opened alone.
    bool headMissing = false;
    MemoryNeed need;
    std::optional<std::uint64_t> available;  ///< as asked for; none: not known
    /// The need is more than what is available.
    bool mayNotFit = false;
    /// How many first layers (of each stack) fit, at least 1; all where everything does.
    std::size_t layersThatFit = 0;
};

/// `info` is what describeFolder says of the folder.
OpeningAdvice openingAdvice(const ModelInfo& info, std::optional<std::uint64_t> availableBytes);

}  // namespace fovea::model
