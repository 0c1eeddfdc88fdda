// SPDX-License-Identifier: GPL-3.0-or-later
// What the benchmarks compare with is what its name says.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/model/runtime_module.h"

namespace fovea::model {
namespace {

const std::vector<float> scores = {0, 1, -2, 3, 0.5F, 0.25F};  // (2, 3)
constexpr std::size_t columns = 3;

std::vector<double> softmax(std::span<const float> row) {
    std::vector<double> weights;
    double sum = 0;
    for (const float score : row) sum += std::exp(double{score});
    for (const float score : row) weights.push_back(std::exp(double{score}) / sum);
    return weights;
}

class Peers : public testing::Test {
protected:
    const ModelRuntime& runtime() { return **openRuntime(); }
    void SetUp() override { ASSERT_TRUE(openRuntime()); }
    std::vector<float> weights = std::vector<float>(scores.size());
};

TEST_F(Peers, softmax_is_taken_of_every_row) {
    const auto seconds = runtime().softmaxSeconds(scores, columns, weights);
    ASSERT_TRUE(seconds) << seconds.error().message;
    EXPECT_GT(*seconds, 0);
    for (std::size_t row = 0; row < 2; ++row) {
        const auto expected = softmax(std::span(scores).subspan(row * columns, columns));
        for (std::size_t i = 0; i < columns; ++i)
            EXPECT_NEAR(weights[row * columns + i], expected[i], 1e-6);
    }
}

TEST_F(Peers, the_backward_pass_is_the_jacobian_of_softmax) {
    ASSERT_TRUE(runtime().softmaxSeconds(scores, columns, weights));
    const std::vector<float> upstream = {1, -1, 2, 0, 3, 0.5F};
    std::vector<float> gradient(scores.size());
    ASSERT_TRUE(runtime().softmaxBackwardSeconds(weights, upstream, columns, gradient));
    for (std::size_t at = 0; at < scores.size(); at += columns) {
        double mean = 0;
        for (std::size_t i = at; i < at + columns; ++i) mean += double{weights[i]} * upstream[i];
        for (std::size_t i = at; i < at + columns; ++i)
            EXPECT_NEAR(gradient[i], weights[i] * (upstream[i] - mean), 1e-6);
    }
}

TEST_F(Peers, attention_is_the_same_one_by_one_and_together) {
    const std::vector<float> states = {1, 0, 2, -1, 0.5F, 0.5F, 0, 1, 1, 2, 0, -2};  // (4, 3)
    for (const QueryOrder order : {QueryOrder::OneByOne, QueryOrder::Together}) {
        std::vector<float> answers(scores.size());
        const auto seconds = runtime().attentionSeconds(states, scores, columns, order, answers);
        ASSERT_TRUE(seconds) << seconds.error().message;
        for (std::size_t query = 0; query < 2; ++query) {
            std::vector<float> products;
            for (std::size_t key = 0; key < 4; ++key) {
                float product = 0;
                for (std::size_t i = 0; i < columns; ++i)
                    product += states[key * columns + i] * scores[query * columns + i];
                products.push_back(product);
            }
            const auto shares = softmax(products);
            for (std::size_t i = 0; i < columns; ++i) {
                double expected = 0;
                for (std::size_t key = 0; key < 4; ++key) expected += shares[key] * states[key * columns + i];
                EXPECT_NEAR(answers[query * columns + i], expected, 1e-5);
            }
        }
    }
}

TEST_F(Peers, sizes_that_do_not_fit_are_sentences) {
    std::vector<float> few(3);
    EXPECT_FALSE(runtime().softmaxSeconds(scores, 0, weights));
    EXPECT_FALSE(runtime().softmaxSeconds(scores, 4, weights));
    EXPECT_FALSE(runtime().softmaxSeconds(scores, columns, few));
    EXPECT_FALSE(runtime().softmaxBackwardSeconds(scores, few, columns, weights));
    EXPECT_FALSE(runtime().attentionSeconds(few, scores, columns, QueryOrder::Together, few));
    EXPECT_FALSE(runtime().attentionSeconds(few, scores, 2, QueryOrder::Together, weights));
}

}  // namespace
}  // namespace fovea::model
