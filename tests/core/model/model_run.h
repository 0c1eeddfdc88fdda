// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <span>
#include <string>

#include "core/trace/model_runtime.h"

namespace fovea::test {

/// A bundled model, loaded; throws when it cannot be.
std::shared_ptr<const LoadedModel> bundledModel(const std::string& name);
/// A run without stop; throws when it fails.
std::shared_ptr<const Trace> runOf(const LoadedModel& model, const ModelInput& input,
                                   const MechanismPlan& plan = {});
/// Infinite where sizes differ or something is not a number.
double largestDifference(std::span<const float> a, std::span<const float> b);

/// A picture of (3, height, width), always the same.
PixelValues somePicture(std::size_t height, std::size_t width);

}  // namespace fovea::test
