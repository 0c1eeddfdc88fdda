// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "core/support/result.h"
#include "core/trace/model_runtime.h"

namespace fovea::training {

/// See ModelRuntime::eagerScript. Reads `folder` as the transformer does and writes the forward pass of its
/// BERT as TorchScript, attention spelt out (products, softmax, product), with the same weights.
Result<std::shared_ptr<const TimedScript>> eagerScript(const std::filesystem::path& folder);

}  // namespace fovea::training
