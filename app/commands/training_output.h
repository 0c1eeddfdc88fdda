// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "core/trace/training_runtime.h"

namespace fovea::app {

/// The measures one a line, in percent, and the time.
std::string reportText(const TrainingReport& report);

/// {"model": folder, "measures": {name: value}, "seconds": s} on one line.
std::string reportJsonLine(const TrainingReport& report, const std::string& folder);

}  // namespace fovea::app
