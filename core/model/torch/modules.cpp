// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/torch/modules.h"

namespace fovea::model {

at::Tensor activated(Activation activation, const at::Tensor& states) {
    switch (activation) {
        case Activation::GeluErf: return at::gelu(states, "none");
        case Activation::GeluTanh: return at::gelu(states, "tanh");
        case Activation::QuickGelu: return states * at::sigmoid(1.702 * states);
        case Activation::Relu: return at::relu(states);
        case Activation::Silu: return at::silu(states);
        case Activation::Tanh: return at::tanh(states);
    }
    return states;
}

at::Tensor Modules::dense(const std::string& role, const at::Tensor& states) const {
    return at::linear(states, weight(role + ".weight"), find(role + ".bias"));
}

at::Tensor Modules::normalised(const std::string& role, const at::Tensor& states) const {
    const at::Tensor scale = weight(role + ".weight");
    if (settings_.norm == NormKind::LayerNorm) {
        return at::layer_norm(states, scale.sizes(), scale, find(role + ".bias"), settings_.normEpsilon,
                              false);
    }
    const at::Tensor meanSquare = states.square().mean(-1, true);
    return scale * (states * at::rsqrt(meanSquare + settings_.normEpsilon));
}

at::Tensor Modules::scaled(const std::string& role, const at::Tensor& states) const {
    const at::Tensor scale = find(role);
    return scale.defined() ? states * scale : states;
}

}  // namespace fovea::model
