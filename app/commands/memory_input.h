// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

#include "core/mechanism/linear_memory.h"
#include "core/support/result.h"

namespace fovea::app {

/// The files of `fovea memory`.
struct MemoryFiles {
    std::string states;
    std::optional<std::string> gateWeight;
    std::optional<std::string> gateBias;
    std::optional<std::string> decay;
    std::optional<std::string> input;
    std::optional<std::string> query;
};

/// What the files hold, in double.
struct MemoryQuestion {
    MemoryInput input;
    std::optional<MemoryLookups> lookups;  ///< after the last token
    bool oneQuery = false;                 ///< the file held a query (k), not a list of them
};

/// Wider memories would not fit into an ordinary machine: C alone takes 512 MiB.
inline constexpr std::size_t widestMemory = 8192;

/// Reads npy, npz or safetensors files of one array of numbers each: states (n, k), gate weight (k, k), gate
/// bias (k), decay and input (n), queries (m, k) or a single one (k). Errors name the file, the shape that
/// was expected and found, or the place of a number that is not finite (a bias may be infinite).
/// Precondition: both halves of a gate, or none.
Result<MemoryQuestion> readMemoryQuestion(const MemoryFiles& files);

}  // namespace fovea::app
