// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include <ATen/ATen.h>

#include "core/model/torch/weights.h"
#include "core/model/transformer_settings.h"

namespace fovea::model {

at::Tensor activated(Activation activation, const at::Tensor& states);

/// The elementary layers of a model by the role of their weights: "layer.3.query" is a dense layer with
/// "layer.3.query.weight" and, where the model has it, "layer.3.query.bias".
class Modules {
public:
    Modules(const TransformerSettings& settings, const Weights& weights)
        : settings_(settings), weights_(weights) {}

    at::Tensor weight(const std::string& role) const { return weights_.get(role); }
    /// Undefined when the model has no such weight.
    at::Tensor find(const std::string& role) const { return weights_.find(role); }

    at::Tensor dense(const std::string& role, const at::Tensor& states) const;
    at::Tensor normalised(const std::string& role, const at::Tensor& states) const;
    /// Times the weight called `role`, where the model has it.
    at::Tensor scaled(const std::string& role, const at::Tensor& states) const;

private:
    const TransformerSettings& settings_;
    const Weights& weights_;
};

}  // namespace fovea::model
