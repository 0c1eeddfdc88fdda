// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "core/support/result.h"

namespace fovea::io {

/// Bytes of memory that this process can still take without anything being put aside or ended for it: what
/// the system calls available, within the limits of the process and of its control group. Nothing where the
/// system does not say.
std::optional<std::size_t> availableMemory();

/// Whether `bytes` more of memory can be had; the error starts with `what` ("FILE: shape [2, 3]") and gives
/// the bytes that it takes and those that are free. A system that promises more memory than it has ends a
/// process that believes it.
Result<void> checkFitsMemory(std::string_view what, std::size_t bytes);

}  // namespace fovea::io
