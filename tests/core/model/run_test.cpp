// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of a run, on the bundled models and on changes of them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "core/model/runtime_module.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"
#include "tests/core/model/reference_run.h"

namespace fovea::test {
namespace {

ModelInput inputOf(const LoadedModel& model, std::size_t count) {
    return {someIds(count, model.info().vocabularySize), {}, {}, {}};
}

std::vector<float> scoresOf(const Trace& trace, std::size_t layer) {
    const ScoreSource& source = *trace.records.at(layer).scores;
    std::vector<float> all(source.heads() * source.queries() * source.keys());
    const std::size_t block = source.queries() * source.keys();
    for (std::size_t head = 0; head < source.heads(); ++head) {
        source.scores(HeadIndex(head), {QueryIndex(0), source.queries()},
                      std::span(all).subspan(head * block, block));
    }
    return all;
}

TEST(Run, records_every_site_with_the_mechanism_that_acted) {
    const auto model = bundledModel("bert-pair-classifier");
    const MechanismPlan plan{{"layer.1"}, {1.5, 2}};
    const auto trace = runOf(*model, inputOf(*model, 7), plan);
    ASSERT_EQ(trace->records.size(), model->info().layers);
    for (const AttentionRecord& record : trace->records) {
        EXPECT_EQ(record.applied, plan.at(record.site));
        EXPECT_EQ(record.scores->queries(), 7u);
        EXPECT_EQ(record.scores->heads(), model->info().heads);
    }
}

TEST(Run, our_softmax_inside_the_model_equals_its_own) {
    for (const char* name : {"bert-masked-lm-cased", "llama-gqa"}) {
        const auto model = bundledModel(name);
        const ModelInput input = inputOf(*model, 20);
        const auto own = runOf(*model, input);
        const auto ours = runOf(*model, input, MechanismPlan::everywhere({1 + 1e-12, 1}));
        EXPECT_LE(largestDifference(own->outputs[0].values, ours->outputs[0].values), 1e-4) << name;
    }
}

TEST(Run, a_plan_changes_only_what_comes_after_its_site) {
    const auto model = bundledModel("llama-gqa");
    const ModelInput input = inputOf(*model, 12);
    const auto own = runOf(*model, input), changed = runOf(*model, input, {{"layer.1"}, {2, 1}});
    EXPECT_EQ(scoresOf(*own, 0), scoresOf(*changed, 0));
    EXPECT_EQ(scoresOf(*own, 1), scoresOf(*changed, 1));
    EXPECT_NE(scoresOf(*own, 2), scoresOf(*changed, 2));
    EXPECT_NE(own->outputs[0].values, changed->outputs[0].values);
}

TEST(Run, padding_does_not_change_the_rows_of_real_positions) {
    for (const char* name : {"bert-masked-lm-cased", "llama-gqa"}) {
        const auto model = bundledModel(name);
        ModelInput plain = inputOf(*model, 15), padded = plain;
        padded.inputIds.insert(padded.inputIds.end(), 4, 0);
        padded.attentionMask.assign(15, 1);
        padded.attentionMask.insert(padded.attentionMask.end(), 4, 0);
        for (const MechanismPlan& plan : {MechanismPlan{}, MechanismPlan::everywhere({1.5, 1})}) {
            const auto without = runOf(*model, plain, plan), with = runOf(*model, padded, plan);
            const auto& expected = without->outputs[0].values;
            EXPECT_LE(largestDifference(expected, std::span(with->outputs[0].values).first(expected.size())),
                      1e-4)
                << name;
        }
    }
}

TEST(Run, padding_in_front_of_a_causal_model_leaves_no_row_undefined) {
    const auto model = bundledModel("llama-gqa");
    ModelInput input = inputOf(*model, 10);
    input.attentionMask.assign(10, 1);
    std::fill_n(input.attentionMask.begin(), 3, 0);
    for (const MechanismPlan& plan : {MechanismPlan{}, MechanismPlan::everywhere({2, 1})}) {
        const auto trace = runOf(*model, input, plan);
        EXPECT_TRUE(std::ranges::all_of(trace->outputs[0].values, [](float v) { return std::isfinite(v); }));
        const std::vector<float> weights = weightsOf(*trace->records[1].scores, trace->records[1].applied);
        EXPECT_TRUE(std::all_of(weights.begin(), weights.begin() + 30, [](float v) { return v == 0; }));
    }
}

// 1500 positions are computed in several tiles, 700 in one.
TEST(Run, a_causal_model_sees_nothing_of_what_follows) {
    EditedModel edited("llama-gqa");
    edited.config([](auto& config) { config["max_position_embeddings"] = 2000; });
    const auto model = loadModel(edited.folder());
    ASSERT_TRUE(model) << model.error().message;
    ModelInput longer = inputOf(**model, 1500), shorter = longer;
    shorter.inputIds.resize(700);
    const auto whole = runOf(**model, longer), start = runOf(**model, shorter);
    const auto& expected = start->outputs[0].values;
    EXPECT_LE(largestDifference(expected, std::span(whole->outputs[0].values).first(expected.size())), 2e-3);
}

TEST(Run, token_types_default_to_zero) {
    const auto model = bundledModel("bert-pair-classifier");
    ModelInput plain = inputOf(*model, 9), zeros = plain, ones = plain;
    zeros.tokenTypeIds.assign(9, 0);
    ones.tokenTypeIds.assign(9, 1);
    EXPECT_EQ(runOf(*model, plain)->outputs[0].values, runOf(*model, zeros)->outputs[0].values);
    EXPECT_NE(runOf(*model, plain)->outputs[0].values, runOf(*model, ones)->outputs[0].values);
}

TEST(Run, threads_that_share_a_model_get_the_same_answer) {
    const auto model = bundledModel("bert-pair-classifier");
    const ModelInput input = inputOf(*model, 30);
    const auto expected = runOf(*model, input)->outputs[0].values;
    std::vector<std::vector<float>> answers(4);
    {
        std::vector<std::jthread> threads;
        for (auto& answer : answers) {
            threads.emplace_back([&] { answer = runOf(*model, input)->outputs[0].values; });
        }
    }
    for (const auto& answer : answers) EXPECT_LE(largestDifference(answer, expected), 1e-5);
}

TEST(Run, a_trace_outlives_its_model) {
    std::shared_ptr<const Trace> trace;
    {
        const auto model = bundledModel("llama-gqa");
        trace = runOf(*model, inputOf(*model, 5));
    }
    EXPECT_EQ(scoresOf(*trace, 2).size(), 4u * 25);
}

TEST(Run, reports_layers_and_stops_between_them) {
    const auto model = bundledModel("bert-pair-classifier");
    std::stop_source stop;
    std::vector<std::string> stages;
    const RunControl control{stop.get_token(), [&](std::string_view stage, double fraction) {
                                 EXPECT_GE(fraction, 0);
                                 EXPECT_LE(fraction, 1);
                                 stages.emplace_back(stage);
                                 if (stages.size() == 2) stop.request_stop();
                             }};
    const auto trace = model->run(inputOf(*model, 8), {}, control);
    ASSERT_FALSE(trace);
    EXPECT_EQ(trace.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(stages, (std::vector<std::string>{"layer 1 of 3", "layer 2 of 3"}));
}

TEST(Load, stops_on_request) {
    const auto runtime = model::openRuntime();
    ASSERT_TRUE(runtime);
    std::stop_source stop;
    stop.request_stop();
    const auto loaded =
        (*runtime)->load(bundledDataFolder() / "models" / "llama-gqa", {}, {stop.get_token(), {}});
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().kind, ErrorKind::Cancelled);
}

TEST(Run, refuses_inputs_that_do_not_fit_with_numbers) {
    const auto model = bundledModel("bert-pair-classifier");
    const auto ids = someIds(5, 1000);
    struct Case {
        ModelInput input;
        std::vector<std::string> words;
    };
    const Case cases[] = {
        {{{}, {}, {}, {}}, {"at least one token"}},
        {{someIds(65, 1000), {}, {}, {}}, {"64", "65"}},
        {{{1, 1000}, {}, {}, {}}, {"input_ids[1]", "999", "1000"}},
        {{{-1}, {}, {}, {}}, {"input_ids[0]", "-1"}},
        {{ids, {1, 1}, {}, {}}, {"attention_mask", "5", "2"}},
        {{ids, {1, 1, 2, 1, 1}, {}, {}}, {"attention_mask[2]", "2"}},
        {{ids, {0, 0, 0, 0, 0}, {}, {}}, {"attention_mask", "zeros"}},
        {{ids, {}, {0, 0, 0, 0, 0, 0}, {}}, {"token_type_ids", "5", "6"}},
        {{ids, {}, {0, 0, 0, 0, 2}, {}}, {"token_type_ids[4]", "found 2"}},
    };
    for (const Case& wrong : cases) {
        const auto trace = model->run(wrong.input, {}, {});
        ASSERT_FALSE(trace) << wrong.words.front();
        for (const std::string& word : wrong.words) {
            EXPECT_NE(trace.error().message.find(word), std::string::npos) << trace.error().message;
        }
    }
    EXPECT_EQ(model->run({ids, {}, {}, {}}, {{"decoder.*"}, {2, 1}}, {}).error().kind, ErrorKind::Usage);
    EXPECT_FALSE(model->run({ids, {}, {}, {}}, MechanismPlan::everywhere({0.5, 1}), {}));
    EXPECT_TRUE(model->run({ids, {}, {}, {}}, {}, {}));
}

// Numbers that all four types hold exactly: a float32 with 7 bits of fraction and a modest exponent.
float coarse(float value) {
    const float cut = std::bit_cast<float>(std::bit_cast<std::uint32_t>(value) & 0xffff0000u);
    return std::abs(cut) < 1e-3f ? 0.0f : cut;
}

std::vector<std::byte> encoded(std::span<const float> values, io::ElementType type) {
    std::vector<std::byte> bytes(values.size() * io::elementSize(type));
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::byte* to = bytes.data() + i * io::elementSize(type);
        const auto bits = std::bit_cast<std::uint32_t>(values[i]);
        const double wide = values[i];
        const auto brain = static_cast<std::uint16_t>(bits >> 16);
        const auto half = static_cast<std::uint16_t>(
            values[i] == 0
                ? 0
                : (bits >> 16 & 0x8000) | (((bits >> 23 & 0xff) - 112) << 10) | (bits >> 13 & 0x3ff));
        if (type == io::ElementType::F32) std::memcpy(to, &bits, sizeof bits);
        if (type == io::ElementType::F64) std::memcpy(to, &wide, sizeof wide);
        if (type == io::ElementType::BF16) std::memcpy(to, &brain, sizeof brain);
        if (type == io::ElementType::F16) std::memcpy(to, &half, sizeof half);
    }
    return bytes;
}

TEST(Load, gives_the_same_model_from_every_floating_point_type) {
    std::vector<float> expected;
    for (const io::ElementType type :
         {io::ElementType::F32, io::ElementType::F64, io::ElementType::BF16, io::ElementType::F16}) {
        EditedModel edited;
        edited.tensors([&](std::vector<RawTensor>& tensors) {
            for (RawTensor& tensor : tensors) {
                std::vector<float> values = floatsOf(tensor);
                std::ranges::transform(values, values.begin(), coarse);
                tensor.bytes = encoded(values, type);
                tensor.type = type;
            }
        });
        const auto model = loadModel(edited.folder());
        ASSERT_TRUE(model) << model.error().message;
        const auto logits = runOf(**model, inputOf(**model, 16))->outputs[0].values;
        if (expected.empty()) expected = logits;
        EXPECT_LE(largestDifference(logits, expected), 1e-6) << io::elementTypeName(type);
    }
}

TEST(Load, reads_names_with_and_without_prefix_and_of_older_files) {
    const auto today = bundledModel("bert-pair-classifier");
    const ModelInput input = inputOf(*today, 11);
    EditedModel edited;
    edited.tensors([](std::vector<RawTensor>& tensors) {
        for (RawTensor& tensor : tensors) {
            if (tensor.name.starts_with("bert.")) tensor.name.erase(0, 5);
            if (tensor.name.ends_with("LayerNorm.weight"))
                tensor.name.replace(tensor.name.size() - 6, 6, "gamma");
            if (tensor.name.ends_with("LayerNorm.bias"))
                tensor.name.replace(tensor.name.size() - 4, 4, "beta");
        }
    });
    const auto old = loadModel(edited.folder());
    ASSERT_TRUE(old) << old.error().message;
    EXPECT_TRUE((*old)->info().tensors.unexpected.empty());
    const auto ours = runOf(**old, input), expected = runOf(*today, input);
    EXPECT_LE(largestDifference(ours->outputs[0].values, expected->outputs[0].values), 1e-5);
}

// Bytes of a tensor may start anywhere in the file; kernels sum in another order where alignment differs.
TEST(Load, reads_weights_that_are_not_aligned) {
    const auto plain = bundledModel("bert-pair-classifier");
    const ModelInput input = inputOf(*plain, 6);
    EditedModel edited;
    edited.tensors([](std::vector<RawTensor>& tensors) {
        tensors.insert(tensors.begin(),
                       {"bert.ornament", io::ElementType::U8, {3}, std::vector<std::byte>(3)});
    });
    const auto moved = loadModel(edited.folder());
    ASSERT_TRUE(moved) << moved.error().message;
    const auto ours = runOf(**moved, input), expected = runOf(*plain, input);
    EXPECT_LE(largestDifference(ours->outputs[0].values, expected->outputs[0].values), 1e-5);
}

}  // namespace
}  // namespace fovea::test
