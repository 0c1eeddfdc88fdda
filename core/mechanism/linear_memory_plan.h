// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/mechanism/linear_memory_gradient.h"

// Private to core/mechanism: what a gradient of linear memories keeps on its way.
namespace fovea {

/// Tokens begin <= t < end, not empty, between two lookups or kept memories.
struct MemorySegment {
    Eigen::Index begin = 0;
    Eigen::Index end = 0;
    std::vector<Eigen::Index> lookups;  ///< those made after its last token
    bool kept = false;                  ///< the memory before its first token is kept
};

struct MemoryPlan {
    std::vector<MemorySegment> segments;  ///< up to the last lookup that finds something
    /// Memories that are not kept come from undoing tokens; else from walking again.
    bool undo = false;
};

/// Where memories are needed at all, for a gradient by the decay. Precondition: shapes that fit.
MemoryPlan planMemory(const MemoryInput& input, const MemoryLookups& lookups, MemoryRecovery recovery);

}  // namespace fovea
