// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/support/result.h"
#include "core/trace/model_runtime.h"

namespace fovea::model {

/// Opens the run-time module on first use (0.2 to 0.5 s) and gives its interface, which lives until
/// the process ends. Sets the environment for LibTorch's threads before. Looks in
/// `../lib/fovea` beside the executable, or where FOVEA_RUNTIME names the module's file.
/// A missing or broken module or LibTorch is a sentence. Thread-safe.
Result<const ModelRuntime*> openRuntime();

/// True once `openRuntime` has loaded the module; for tests.
bool runtimeLoaded();

}  // namespace fovea::model
