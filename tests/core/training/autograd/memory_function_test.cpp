// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/torch/memory_function.h"

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/autograd.h>

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "tests/core/training/autograd/operator_checks.h"

namespace fovea::training {
namespace {

using test::differences;
using test::largestDifference;
using test::learned;
using test::random;
using test::refusal;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

at::Tensor wholes(std::vector<std::int64_t> values, at::IntArrayRef shape) {
    return at::tensor(values, at::kLong).reshape(shape);
}

struct Question {
    MemoryTensors memory;
    at::Tensor queries, times;

    at::Tensor answer() const { return memoryLookup(memory, queries, times); }
    /// The floating-point tensors that are there.
    std::vector<at::Tensor*> tensors() {
        std::vector<at::Tensor*> all;
        for (at::Tensor* tensor :
             {&memory.states, &queries, &memory.gateWeight, &memory.gateBias, &memory.decay, &memory.input}) {
            if (tensor->defined()) all.push_back(tensor);
        }
        return all;
    }
    void learnAll() {
        for (at::Tensor* tensor : tensors()) *tensor = learned(*tensor);
    }
};

Question randomQuestion(std::int64_t batch, std::int64_t n, std::int64_t k, std::int64_t m, bool gated,
                        bool rated) {
    Question question{{random({batch, n, k}), {}, {}, {}, {}, {}}, random({batch, m, k}), {}};
    if (gated) {
        question.memory.gateWeight = random({k, k});
        question.memory.gateBias = random({k});
    }
    if (rated) {
        question.memory.decay = at::rand({batch, n}, at::kDouble) * 0.6 + 0.5;
        question.memory.input = random({batch, n});
    }
    return question;
}

/// The recursion in LibTorch's own operators, whose gradients are LibTorch's own too.
at::Tensor plainLookup(const Question& question) {
    const MemoryTensors& memory = question.memory;
    at::Tensor features = memory.states;
    if (memory.gateWeight.defined()) {
        const at::Tensor argument = memory.states.matmul(memory.gateWeight.t()) + memory.gateBias;
        features = at::sigmoid(argument) * memory.states;
    }
    const std::int64_t batch = features.size(0), n = features.size(1), k = features.size(2);
    std::vector<at::Tensor> sequences;
    for (std::int64_t b = 0; b < batch; ++b) {
        std::vector<at::Tensor> memories{at::zeros({k, k}, at::kDouble)};
        for (std::int64_t t = 0; t < n; ++t) {
            at::Tensor added = at::outer(features[b][t], features[b][t]);
            at::Tensor kept = memories.back();
            if (memory.mask.defined() && !memory.mask[b][t].item<bool>()) {
                memories.push_back(kept);
                continue;
            }
            if (memory.input.defined()) added = added * memory.input[b][t];
            if (memory.decay.defined()) kept = kept * memory.decay[b][t];
            memories.push_back(kept + added);
        }
        std::vector<at::Tensor> rows;
        for (std::int64_t i = 0; i < question.queries.size(1); ++i) {
            const std::int64_t time =
                question.times.defined() ? question.times[b][i].item<std::int64_t>() : n;
            rows.push_back(memories[static_cast<std::size_t>(time)].mv(question.queries[b][i]));
        }
        sequences.push_back(at::stack(rows));
    }
    return at::stack(sequences);
}

/// Gradients of <upstream, answer> by every floating-point tensor.
std::vector<at::Tensor> gradients(Question question, const at::Tensor& upstream,
                                  at::Tensor (*lookup)(const Question&)) {
    question.learnAll();
    (lookup(question) * upstream).sum().backward();
    std::vector<at::Tensor> all;
    for (at::Tensor* tensor : question.tensors()) {
        EXPECT_TRUE(tensor->grad().defined());
        all.push_back(tensor->grad());
    }
    return all;
}

at::Tensor answerOf(const Question& question) { return question.answer(); }

TEST(MemoryFunction, values_and_gradients_are_those_of_the_recursion) {
    at::manual_seed(1);
    for (const bool gated : {false, true}) {
        for (const bool rated : {false, true}) {
            for (const bool masked : {false, true}) {
                SCOPED_TRACE(testing::Message()
                             << "gated " << gated << ", rated " << rated << ", masked " << masked);
                Question question = randomQuestion(3, 11, 4, 5, gated, rated);
                question.times = at::randint(0, 12, {3, 5}, at::kLong);
                if (masked) question.memory.mask = at::rand({3, 11}) < 0.6;
                EXPECT_LT(largestDifference(question.answer(), plainLookup(question)), 1e-12);
                const at::Tensor upstream = random({3, 5, 4});
                const auto found = gradients(question, upstream, answerOf);
                const auto expected = gradients(question, upstream, plainLookup);
                for (std::size_t i = 0; i < found.size(); ++i) {
                    const double scale = 1 + expected[i].abs().max().item<double>();
                    EXPECT_LT(largestDifference(found[i], expected[i]), 1e-10 * scale) << i;
                }
            }
        }
    }
}

TEST(MemoryFunction, gradients_agree_with_finite_differences) {
    at::manual_seed(2);
    for (const bool gated : {false, true}) {
        for (const double tiny : {1.0, 0.0}) {
            Question question = randomQuestion(2, 7, 3, 3, gated, true);
            question.memory.decay.select(1, 3).mul_(tiny);
            question.times = wholes({7, 2, 4, 0, 7, 7}, {2, 3});
            question.memory.mask = at::rand({2, 7}) < 0.8;
            const at::Tensor upstream = random({2, 3, 3});
            const auto found = gradients(question, upstream, answerOf);
            const auto loss = [&] { return (question.answer() * upstream).sum().item<double>(); };
            const auto tensors = question.tensors();
            ASSERT_EQ(found.size(), tensors.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                const at::Tensor expected = differences(*tensors[i], 1e-5, loss);
                const double scale = 1 + expected.abs().max().item<double>();
                EXPECT_LT(largestDifference(found[i], expected), 1e-8 * scale) << i;
            }
        }
    }
}

TEST(MemoryFunction, of_masked_sequences_equals_that_of_shorter_ones) {
    at::manual_seed(3);
    Question padded = randomQuestion(2, 9, 3, 4, true, true);
    padded.memory.mask = at::ones({2, 9}, at::kBool);
    padded.memory.mask.narrow(1, 6, 3).fill_(false);
    // Whatever padding holds does not count.
    padded.memory.states.narrow(1, 6, 3).fill_(nan);
    padded.memory.decay.narrow(1, 6, 3).fill_(nan);
    Question shorter = padded;
    shorter.memory.states = padded.memory.states.narrow(1, 0, 6);
    shorter.memory.decay = padded.memory.decay.narrow(1, 0, 6);
    shorter.memory.input = padded.memory.input.narrow(1, 0, 6);
    shorter.memory.mask = at::Tensor();
    EXPECT_TRUE(at::equal(padded.answer(), shorter.answer()));
    const at::Tensor upstream = random({2, 4, 3});
    const auto found = gradients(padded, upstream, answerOf);
    const auto expected = gradients(shorter, upstream, answerOf);
    EXPECT_TRUE(at::equal(found[0].narrow(1, 0, 6), expected[0]));
    EXPECT_EQ(found[0].narrow(1, 6, 3).abs().max().item<double>(), 0);
    for (const std::size_t i : {1u, 2u, 3u}) EXPECT_TRUE(at::equal(found[i], expected[i])) << i;
    for (const std::size_t i : {4u, 5u}) EXPECT_TRUE(at::equal(found[i].narrow(1, 0, 6), expected[i])) << i;
}

TEST(MemoryFunction, of_a_sequence_that_is_masked_throughout_is_zero) {
    at::manual_seed(9);
    Question question = randomQuestion(2, 5, 60, 3, true, true);
    question.memory.mask = at::ones({2, 5}, at::kBool);
    question.memory.mask[1].fill_(false);
    EXPECT_GT(question.answer()[0].abs().max().item<double>(), 0);
    EXPECT_EQ(question.answer()[1].abs().max().item<double>(), 0);
    const auto found = gradients(question, random({2, 3, 60}), answerOf);
    for (const std::size_t i : {0u, 1u, 4u, 5u}) EXPECT_EQ(found[i][1].abs().max().item<double>(), 0) << i;
}

TEST(MemoryFunction, without_times_looks_up_after_the_last_token) {
    at::manual_seed(4);
    Question question = randomQuestion(2, 6, 3, 2, false, true);
    const at::Tensor last = question.answer();
    question.times = wholes({6, 6, 6, 6}, {2, 2});
    EXPECT_TRUE(at::equal(question.answer(), last));
    question.times = question.times.to(at::kInt);
    EXPECT_TRUE(at::equal(question.answer(), last));
    question.times.zero_();
    EXPECT_EQ(question.answer().abs().max().item<double>(), 0);
}

TEST(MemoryFunction, in_float_is_computed_in_double_and_rounded_once) {
    at::manual_seed(5);
    Question doubles = randomQuestion(2, 40, 5, 3, true, true), floats = doubles;
    for (at::Tensor* tensor : floats.tensors()) *tensor = tensor->to(at::kFloat);
    doubles = floats;
    for (at::Tensor* tensor : doubles.tensors()) *tensor = tensor->to(at::kDouble);
    const at::Tensor found = floats.answer();
    EXPECT_EQ(found.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::equal(found, doubles.answer().to(at::kFloat)));
    const at::Tensor upstream = random({2, 3, 5}).to(at::kFloat);
    const auto byFloats = gradients(floats, upstream, answerOf);
    const auto byDoubles = gradients(doubles, upstream.to(at::kDouble), answerOf);
    for (std::size_t i = 0; i < byFloats.size(); ++i) {
        EXPECT_EQ(byFloats[i].scalar_type(), at::kFloat);
        EXPECT_TRUE(at::equal(byFloats[i], byDoubles[i].to(at::kFloat))) << i;
    }
}

TEST(MemoryFunction, does_not_depend_on_strides_or_threads) {
    at::manual_seed(6);
    Question question = randomQuestion(5, 8, 4, 3, true, true), strided = question;
    strided.memory.states = question.memory.states.transpose(1, 2).contiguous().transpose(1, 2);
    strided.memory.gateWeight = question.memory.gateWeight.t().contiguous().t();
    strided.queries = question.queries.permute({2, 0, 1}).contiguous().permute({1, 2, 0});
    EXPECT_TRUE(at::equal(strided.answer(), question.answer()));
    const at::Tensor upstream = random({5, 3, 4});
    const int threads = at::get_num_threads();
    const auto many = gradients(question, upstream, answerOf);
    at::set_num_threads(1);
    const auto one = gradients(question, upstream, answerOf);
    at::set_num_threads(threads);
    for (std::size_t i = 0; i < one.size(); ++i) EXPECT_TRUE(at::equal(one[i], many[i])) << i;
}

TEST(MemoryFunction, of_nothing_is_nothing) {
    for (const auto& [batch, n, m] : {std::array<std::int64_t, 3>{0, 4, 2}, {2, 0, 3}, {2, 4, 0}}) {
        Question question = randomQuestion(batch, n, 3, m, true, true);
        question.learnAll();
        const at::Tensor found = question.answer();
        EXPECT_EQ(found.sizes(), at::IntArrayRef({batch, m, 3}));
        found.sum().backward();
        EXPECT_EQ(question.memory.gateWeight.grad().abs().sum().item<double>(), 0);
    }
}

TEST(MemoryFunction, refuses_shapes_types_and_times_with_what_was_found) {
    at::manual_seed(7);
    const Question good = randomQuestion(2, 6, 3, 4, true, true);
    const auto expectRefused = [&](const std::function<void(Question&)>& spoil, const std::string& words) {
        Question question = good;
        spoil(question);
        const std::string message = refusal([&] { question.answer(); });
        EXPECT_NE(message.find(words), std::string::npos) << message;
    };
    using Q = Question;
    expectRefused([](Q& q) { q.memory.states = random({6, 3}); }, "[batch, n, k], found [6, 3]");
    expectRefused([](Q& q) { q.queries = random({2, 3}); }, "[batch, m, k], found [2, 3]");
    expectRefused([](Q& q) { q.queries = random({2, 4, 5}); },
                  "queries must have shape [2, 4, 3], found [2, 4, 5]");
    expectRefused([](Q& q) { q.queries = random({1, 4, 3}); },
                  "queries must have shape [2, 4, 3], found [1, 4, 3]");
    expectRefused([](Q& q) { q.memory.gateWeight = random({3, 4}); },
                  "gate weight must have shape [3, 3], found [3, 4]");
    expectRefused([](Q& q) { q.memory.gateBias = random({4}); }, "gate bias must have shape [3], found [4]");
    expectRefused([](Q& q) { q.memory.gateBias = at::Tensor(); }, "a gate needs weight and bias");
    expectRefused([](Q& q) { q.memory.decay = random({2, 5}); },
                  "decay must have shape [2, 6], found [2, 5]");
    expectRefused([](Q& q) { q.memory.input = random({6}); }, "input must have shape [2, 6], found [6]");
    expectRefused([](Q& q) { q.memory.mask = at::ones({2, 5}, at::kBool); },
                  "mask must have shape [2, 6], found [2, 5]");
    expectRefused([](Q& q) { q.memory.mask = at::ones({2, 6}); }, "mask must be a bool tensor");
    expectRefused([](Q& q) { q.memory.states = at::ones({2, 6, 3}, at::kLong); },
                  "states must be a floating-point tensor");
    expectRefused([](Q& q) { q.times = at::ones({2, 3}, at::kLong); },
                  "times must have shape [2, 4], found [2, 3]");
    expectRefused([](Q& q) { q.times = at::ones({2, 4}); }, "times must be whole numbers");
    expectRefused([](Q& q) { q.times = wholes({0, 6, 1, 2, 3, 7, 0, 0}, {2, 4}); },
                  "sequence 1, lookup 1: expected 0 to 6, found 7");
    expectRefused([](Q& q) { q.times = wholes({0, -1, 1, 2, 3, 0, 0, 0}, {2, 4}); },
                  "sequence 0, lookup 1: expected 0 to 6, found -1");
    expectRefused([](Q& q) { q.memory.states = at::Tensor(); }, "states or queries are undefined");
}

TEST(MemoryFunction, has_no_second_derivatives) {
    at::manual_seed(8);
    Question question = randomQuestion(1, 3, 2, 1, false, false);
    question.learnAll();
    const at::Tensor loss = question.answer().sum();
    EXPECT_THROW(torch::autograd::grad({loss}, {question.memory.states}, {}, true, true), c10::Error);
}

}  // namespace
}  // namespace fovea::training
