// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <unordered_map>

#include <ATen/ATen.h>

#include "core/model/opened_folder.h"
#include "core/support/result.h"
#include "core/support/run_control.h"

namespace fovea::model {

/// The weights of one model by role, float32. Those that are float32 in the file stay in its
/// mapping, which the tensors keep alive; others are converted.
class Weights {
public:
    /// Precondition: `folder.match.report.complete()`. Reports progress and stops on request.
    static Result<Weights> load(const OpenedFolder& folder, const RunControl& control);

    /// Undefined when the model has no such weight (a bias that is off).
    at::Tensor find(const std::string& role) const;
    /// `role` must exist.
    at::Tensor get(const std::string& role) const;

private:
    std::unordered_map<std::string, at::Tensor> tensors_;
};

}  // namespace fovea::model
