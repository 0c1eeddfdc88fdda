// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>

#include "core/training/garment_recipe.h"
#include "core/training/random_stream.h"

namespace fovea::training {

/// The weights of a vision transformer by name, in the order of `tensorShapes`.
class ModelWeights {
public:
    /// From N(0, deviation^2); biases 0, the factors of the norms 1.
    static ModelWeights initial(const VisionTransformerSizes& sizes, double deviation, RandomStream random);

    void add(std::string name, at::Tensor tensor);
    const std::vector<std::string>& names() const { return names_; }
    const std::vector<at::Tensor>& tensors() const { return tensors_; }
    const at::Tensor& get(const std::string& name) const { return tensors_[places_.at(name)]; }
    /// Each tensor rounded to half precision and back, apart from any graph.
    ModelWeights roundedToHalf() const;

private:
    std::vector<std::string> names_;
    std::vector<at::Tensor> tensors_;
    std::unordered_map<std::string, std::size_t> places_;
};

/// What the transformer says of a batch.
struct VisionAnswers {
    at::Tensor logits;        ///< (pictures, labels), before the sigmoid
    at::Tensor patchStates;   ///< (pictures, patches, hidden), after the last norm
};

/// The forward pass of a ViTForImageClassification [D21], of any floating-point type, for gradients as
/// for measuring. With x = [class; W_e patches + b_e] + positions, and for every layer
///
///     x = x + W_o attention(norm(x)) + b_o
///     x = x + W_2 gelu(W_1 norm(x) + b_1) + b_2
///
/// the logits are W_c norm(x)_class + b_c. `pixels` is (pictures, side, side), grey and normalised.
VisionAnswers answers(const VisionTransformerSizes& sizes, const ModelWeights& weights,
                      const at::Tensor& pixels);

}  // namespace fovea::training
