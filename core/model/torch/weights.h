// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>

#include "core/model/opened_folder.h"
#include "core/support/result.h"
#include "core/support/run_control.h"

namespace fovea::model {

/// The weights of one model by role, float32. Those that are float32 in the file stay in its mapping;
/// others are converted when they are first asked for, and then kept, or with `readAsTheyRun` given up as
/// soon as another layer's are asked for. Tensors keep the mapping alive. Not for several threads at once.
class Weights {
public:
    /// Precondition: `folder.match.report.complete()`. Reads nothing but sizes. Errors: weights that are no
    /// floating-point numbers, or that need more memory than there is.
    static Result<Weights> load(const OpenedFolder& folder, const RunControl& control,
                                const LoadOptions& options = {});

    /// Undefined when the model has no such weight (a bias that is off).
    at::Tensor find(const std::string& role) const;
    /// `role` must exist.
    at::Tensor get(const std::string& role) const;

    /// Names the first tensor with a NaN or an infinite number, and where, if there is one. Cost: reads all
    /// weights.
    std::optional<Error> damage() const;

private:
    struct Source {
        const io::StoredTensor* stored = nullptr;
        std::string name;   ///< in the file
        std::string layer;  ///< "decoder.layer.3." of what runs with it; empty: of no layer
        bool transposed = false;
    };

    Result<void> add(const OpenedFolder& folder, const std::string& role, const std::string& name);
    Result<void> checkMemory() const;
    void leaveLayer(const std::string& next) const;
    at::Tensor converted(const io::StoredTensor& stored) const;

    std::shared_ptr<const io::TensorFiles> files_;
    bool readAsTheyRun_ = false;
    std::unordered_map<std::string, Source> sources_;
    /// A tied weight is one tensor under two roles.
    mutable std::unordered_map<const io::StoredTensor*, at::Tensor> ready_;
    mutable std::string layer_;                                ///< whose weights were asked for last
    mutable std::vector<const io::StoredTensor*> ofLayer_;  ///< what was made ready for it
};

}  // namespace fovea::model
