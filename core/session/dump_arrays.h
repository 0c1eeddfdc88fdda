// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "core/io/array_file.h"
#include "core/support/result.h"
#include "core/support/run_control.h"
#include "core/trace/trace.h"

namespace fovea::session {

/// The attention sites that a file's arrays are, by stack and layer. An array's name says what it holds:
/// scores before softmax (scores...), weights after it (attention...), or queries and keys; a number at its
/// end is a layer, encoder_, decoder_ or cross_ before it a stack. The only array of a file may have any name:
/// non-negative rows that sum to one are weights, others scores. Weights become scores ln p, -infinity where
/// they are 0. Errors name the array, what was expected and found.
Result<std::vector<AttentionRecord>> recordsOfDump(const io::ArrayFile& file, const RunControl& control);

}  // namespace fovea::session
