// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/vision_transformer.h"

#include <cmath>

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "core/training/model_files.h"

namespace fovea::test {
namespace {

using namespace training;

constexpr VisionTransformerSizes sizes{8, 4, 6, 2, 2, 10, 3};

ModelWeights doubleWeights(bool gradients) {
    const ModelWeights single = ModelWeights::initial(sizes, 0.3, RandomStream(4));
    ModelWeights weights;
    for (const std::string& name : single.names()) {
        weights.add(name, single.get(name).to(at::kDouble).requires_grad_(gradients));
    }
    return weights;
}

at::Tensor numbers(std::vector<std::int64_t> shape, std::uint64_t seed) {
    RandomStream random(seed);
    at::Tensor tensor = at::empty(shape, at::TensorOptions(at::kDouble));
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<double>()[i] = random.normal();
    return tensor;
}

/// A number that depends on everything that the transformer says.
at::Tensor summary(const ModelWeights& weights, const at::Tensor& pixels) {
    const VisionAnswers said = answers(sizes, weights, pixels);
    const at::Tensor truth = at::zeros_like(said.logits).fill_(0.3);
    return at::binary_cross_entropy_with_logits(said.logits, truth) +
           (said.patchStates * numbers({2, 4, 6}, 9)).sum();
}

TEST(VisionTransformer, has_gradients_that_agree_with_finite_differences) {
    const at::Tensor pixels = numbers({2, 8, 8}, 8);
    const ModelWeights weights = doubleWeights(true);
    const auto gradients = torch::autograd::grad({summary(weights, pixels)}, weights.tensors());
    const at::NoGradGuard noGraph;
    const ModelWeights moved = doubleWeights(false);
    constexpr double step = 1e-5;
    for (std::size_t i = 0; i < moved.tensors().size(); ++i) {
        double* values = moved.tensors()[i].data_ptr<double>();
        const std::int64_t count = moved.tensors()[i].numel();
        for (std::int64_t place = 0; place < count; place += std::max<std::int64_t>(1, count / 3)) {
            const double kept = values[place];
            values[place] = kept + step;
            const double above = summary(moved, pixels).item<double>();
            values[place] = kept - step;
            const double below = summary(moved, pixels).item<double>();
            values[place] = kept;
            const double expected = (above - below) / (2 * step);
            EXPECT_NEAR(gradients[i].contiguous().data_ptr<double>()[place], expected,
                        1e-7 * std::max(1.0, std::abs(expected)))
                << moved.names()[i] << " at " << place;
        }
    }
}

TEST(VisionTransformer, answers_a_picture_alike_alone_and_in_a_batch) {
    const at::NoGradGuard noGraph;
    const at::Tensor pixels = numbers({3, 8, 8}, 8);
    const ModelWeights weights = doubleWeights(false);
    const at::Tensor together = answers(sizes, weights, pixels).logits;
    for (std::int64_t i = 0; i < 3; ++i) {
        const at::Tensor alone = answers(sizes, weights, pixels.slice(0, i, i + 1)).logits;
        EXPECT_LT((alone[0] - together[i]).abs().max().item<double>(), 1e-12);
    }
}

TEST(VisionTransformer, begins_with_weights_of_the_stated_deviation) {
    const VisionTransformerSizes larger{28, 14, 64, 1, 2, 64, 3};
    const ModelWeights weights = ModelWeights::initial(larger, 0.2, RandomStream(1));
    const at::Tensor dense = weights.get("vit.encoder.layer.0.intermediate.dense.weight");
    EXPECT_NEAR(dense.std().item<double>(), 0.2, 0.01);
    EXPECT_EQ(weights.get("vit.layernorm.weight").min().item<float>(), 1);
    EXPECT_EQ(weights.get("classifier.bias").abs().max().item<float>(), 0);
    ASSERT_EQ(weights.names().size(), tensorShapes(larger).size());
}

}  // namespace
}  // namespace fovea::test
