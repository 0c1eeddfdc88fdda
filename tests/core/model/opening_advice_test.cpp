// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model/opening_advice.h"

#include <gtest/gtest.h>

#include <limits>

namespace fovea::model {
namespace {

ModelInfo modelOf(std::size_t layers, std::uint64_t weightBytes) {
    ModelInfo info;
    info.layers = layers;
    info.hiddenSize = 64;
    info.vocabularySize = 1000;
    info.maxPositions = 128;
    info.weightBytes = weightBytes;
    info.sites.resize(layers);
    return info;
}

TEST(OpeningAdvice, the_need_is_the_weights_and_a_run_on_as_many_positions_as_there_are) {
    const ModelInfo info = modelOf(4, 1'000'000);
    const MemoryNeed need = memoryNeed(info);
    EXPECT_EQ(need.weights, 1'000'000U);
    EXPECT_EQ(need.run, 4U * 128 * (4 * 2 * 64 + 10 * 64 + 1000));
    EXPECT_EQ(need.total(), need.weights + need.run);
}

TEST(OpeningAdvice, what_fits_is_opened_without_a_word) {
    const ModelInfo info = modelOf(4, 1'000'000);
    const std::uint64_t need = memoryNeed(info).total();
    EXPECT_FALSE(openingAdvice(info, need).mayNotFit);
    EXPECT_EQ(openingAdvice(info, need).layersThatFit, 4U);
    EXPECT_FALSE(openingAdvice(info, std::nullopt).mayNotFit);
    EXPECT_TRUE(openingAdvice(info, need - 1).mayNotFit);
}

TEST(OpeningAdvice, fewer_layers_fit_less_memory_and_one_always_remains) {
    const ModelInfo info = modelOf(12, 24'000'000);
    std::size_t before = 12;
    for (std::uint64_t available = memoryNeed(info).total() - 1; available > 1'000'000;
         available -= 1'000'000) {
        const OpeningAdvice advice = openingAdvice(info, available);
        EXPECT_TRUE(advice.mayNotFit);
        EXPECT_LE(advice.layersThatFit, before);
        EXPECT_GE(advice.layersThatFit, 1U);
        before = advice.layersThatFit;
    }
    EXPECT_EQ(openingAdvice(info, 0).layersThatFit, 1U);
}

TEST(OpeningAdvice, the_longer_stack_counts) {
    ModelInfo info = modelOf(2, 24'000'000);
    info.decoder = DecoderInfo{};
    info.decoder->layers = 6;
    EXPECT_EQ(openingAdvice(info, std::nullopt).layersThatFit, 6U);
}

TEST(OpeningAdvice, enormous_sizes_stay_numbers) {
    ModelInfo info = modelOf(1, std::numeric_limits<std::uint64_t>::max());
    info.hiddenSize = info.vocabularySize = std::size_t{1} << 40;
    const OpeningAdvice advice = openingAdvice(info, 1);
    EXPECT_TRUE(advice.mayNotFit);
    EXPECT_GE(advice.need.total(), advice.need.weights);
    EXPECT_EQ(advice.layersThatFit, 1U);
}

TEST(OpeningAdvice, the_body_is_offered_where_nothing_but_the_head_is_missing) {
    ModelInfo info = modelOf(2, 1000);
    EXPECT_FALSE(openingAdvice(info, std::nullopt).headMissing);
    info.tensors.missing = info.tensors.missingOfHead = {"classifier.weight", "classifier.bias"};
    EXPECT_TRUE(openingAdvice(info, std::nullopt).headMissing);
    info.tensors.missing.push_back("encoder.layer.0.attention.self.query.weight");
    EXPECT_FALSE(openingAdvice(info, std::nullopt).headMissing);
    info.tensors.missing.pop_back();
    info.tensors.mismatched.push_back({"embeddings.word_embeddings.weight", {2, 3}, {3, 2}});
    EXPECT_FALSE(openingAdvice(info, std::nullopt).headMissing);
}

}  // namespace
}  // namespace fovea::model
