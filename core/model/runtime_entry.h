// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/trace/model_runtime.h"

namespace fovea::model {

/// The one symbol that the run-time module shows, and its file's name.
inline constexpr const char* runtimeEntryName = "foveaModelRuntime";
inline constexpr const char* runtimeModuleName = "libfovea_torch.so";

/// Names the interface that a build was compiled against: version and a hash over the headers whose
/// types cross the border. Program and module must agree, as they exchange C++ objects.
inline constexpr const char* runtimeInterface = FOVEA_RUNTIME_INTERFACE;

/// Gives the runtime when `interface` is the module's own, else nullptr.
using RuntimeEntry = const ModelRuntime* (*)(const char* interface);

}  // namespace fovea::model
