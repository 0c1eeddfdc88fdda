// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace fovea::app {

/// The name that the processor gives itself; "unknown" where the system does not say.
std::string processorName();

/// The widest vector unit that our kernels can use here, as Highway names it, "AVX3".
std::string vectorUnit();

/// Which of the vector extensions that matter here it has, as the system names them: "avx2", "fma", "avx512f".
std::vector<std::string> processorFlags();

}  // namespace fovea::app
