// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that decoders write, and what ends them.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/model/model_config.h"
#include "core/model/model_folder.h"
#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"

namespace fovea::test {
namespace {

using nlohmann::json;

GenerationSettings writing(std::size_t newTokens) {
    GenerationSettings settings;
    settings.newTokens = newTokens;
    return settings;
}

ModelInput prompt(const LoadedModel& model, std::size_t count) {
    ModelInput input;
    input.inputIds = someIds(count, model.info().vocabularySize);
    return input;
}

// The whole sequence through the model at every step.
std::vector<std::int64_t> writtenWithoutCache(const LoadedModel& model, ModelInput input,
                                              const MechanismPlan& plan, std::size_t newTokens) {
    for (std::size_t i = 0; i < newTokens; ++i) {
        const auto trace = runOf(model, input, plan);
        const OutputArray& logits = trace->outputs.front();
        const auto last = std::span(logits.values).last(logits.shape.back());
        input.inputIds.push_back(std::ranges::max_element(last) - last.begin());
    }
    return input.inputIds;
}

class Decoder : public testing::TestWithParam<const char*> {};

TEST_P(Decoder, writes_the_same_with_kept_keys_as_without) {
    EditedModel folder(GetParam());
    for (const char* key : {"eos_token_id", "sliding_window"}) {
        folder.config([&](json& config) {
            if (config.contains(key)) config[key] = std::string(key) == "sliding_window" ? json(4) : json();
        });
    }
    const auto model = loadModel(folder.folder());
    ASSERT_TRUE(model) << model.error().message;
    for (const EntmaxParameters mechanism : {EntmaxParameters{}, {1.5, 1}, {2, 1}, {1, 0.5}}) {
        const MechanismPlan plan = MechanismPlan::everywhere(mechanism);
        const ModelInput input = prompt(**model, 5);
        const auto ids = (*model)->generate(input, plan, writing(12), {}, {});
        ASSERT_TRUE(ids) << ids.error().message;
        EXPECT_EQ(ids->ids, writtenWithoutCache(**model, input, plan, ids->ids.size() - 5))
            << mechanism.alpha << " " << mechanism.temperature;
    }
}

TEST_P(Decoder, passes_over_padding_of_its_prompt) {
    const auto model = bundledModel(GetParam());
    const ModelInput plain = prompt(*model, 6);
    ModelInput padded = plain;
    padded.inputIds.insert(padded.inputIds.begin(), 3, 0);
    padded.attentionMask = {0, 0, 0, 1, 1, 1, 1, 1, 1};
    const auto expected = model->generate(plain, {}, writing(6), {}, {});
    const auto ids = model->generate(padded, {}, writing(6), {}, {});
    ASSERT_TRUE(ids && expected);
    EXPECT_EQ(ids->given, 9u);
    EXPECT_TRUE(std::ranges::equal(std::span(ids->ids).subspan(9), std::span(expected->ids).subspan(6)));
}

INSTANTIATE_TEST_SUITE_P(Families, Decoder,
                         testing::Values("gpt2", "gpt-neox", "mistral", "llama-gqa", "qwen2", "qwen3"),
                         [](const auto& test) {
                             std::string name = test.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(Generation, ends_at_any_of_the_end_tokens_and_says_so) {
    EditedModel folder("gpt2");
    folder.config([](json& config) { config["eos_token_id"] = nullptr; });
    const auto endless = loadModel(folder.folder());
    ASSERT_TRUE(endless) << endless.error().message;
    const ModelInput input = prompt(**endless, 4);
    const auto all = (*endless)->generate(input, {}, writing(8), {}, {});
    ASSERT_TRUE(all);
    EXPECT_FALSE(all->ended);
    const std::int64_t end = all->ids[6];
    folder.config([&](json& config) { config["eos_token_id"] = {95, end}; });
    const auto model = loadModel(folder.folder());
    const auto ids = (*model)->generate(input, {}, writing(8), {}, {});
    ASSERT_TRUE(ids);
    EXPECT_TRUE(ids->ended);
    EXPECT_EQ(ids->ids.back(), end);
    EXPECT_TRUE(std::ranges::equal(ids->ids, std::span(all->ids).first(ids->ids.size())));
}

TEST(Generation, tells_every_token_and_how_far_it_is) {
    const auto model = bundledModel("mistral");
    std::vector<std::int64_t> told;
    std::vector<std::string> stages;
    const RunControl control{{}, [&](std::string_view stage, double) { stages.emplace_back(stage); }};
    const auto ids = model->generate(
        prompt(*model, 3), {}, writing(4), [&](std::int64_t id) { told.push_back(id); }, control);
    ASSERT_TRUE(ids);
    EXPECT_TRUE(std::ranges::equal(told, std::span(ids->ids).subspan(3)));
    EXPECT_EQ(std::ranges::count(stages, "token 1 of 4"), 1);
}

TEST(Generation, stops_between_tokens_as_cancelled) {
    const auto model = bundledModel("gpt-neox");
    std::stop_source source;
    std::size_t told = 0;
    const auto ids = model->generate(
        prompt(*model, 3), {}, writing(20),
        [&](std::int64_t) {
            if (++told == 2) source.request_stop();
        },
        {source.get_token(), {}});
    ASSERT_FALSE(ids);
    EXPECT_EQ(ids.error().kind, ErrorKind::Cancelled);
    EXPECT_EQ(told, 2u);
}

TEST(Generation, beyond_the_positions_or_of_nothing_is_refused_with_numbers) {
    const auto model = bundledModel("gpt2");
    const std::size_t most = model->info().maxPositions;
    const auto message = [&](std::size_t given, const GenerationSettings& settings) {
        const auto ids = model->generate(prompt(*model, given), {}, settings, {}, {});
        return ids ? std::string() : ids.error().message;
    };
    EXPECT_EQ(message(most - 2, writing(2)), "");
    const std::string full = message(most, writing(1));
    EXPECT_NE(full.find(std::to_string(most) + " and 1 new"), std::string::npos) << full;
    EXPECT_NE(message(4, writing(SIZE_MAX)).find("expected at most"), std::string::npos);
    EXPECT_NE(message(0, writing(1)).find("empty"), std::string::npos);
    EXPECT_NE(message(4, writing(0)).find("at least 1, found 0"), std::string::npos);
    GenerationSettings cold = writing(1);
    cold.temperature = 0;
    EXPECT_NE(message(4, cold).find("above 0, found 0"), std::string::npos);
}

TEST(GenerationConfig, holds_before_the_configuration_and_is_read_key_by_key) {
    const TemporaryFolder folder;
    const json config = {{"model_type", "gpt2"}, {"architectures", {"GPT2LMHeadModel"}}, {"vocab_size", 10}};
    const auto tokens = [&](json own, json others) {
        others.update(config);
        writeBytes(folder / "config.json", others.dump());
        writeBytes(folder / "generation_config.json", own.dump());
        return model::readSettings(folder.path()).value().generation;
    };
    EXPECT_EQ(tokens({{"eos_token_id", 3}}, {{"eos_token_id", 4}}).ends, std::vector<std::int64_t>{3});
    EXPECT_EQ(tokens({{"eos_token_id", {3, 5}}}, {}).ends, (std::vector<std::int64_t>{3, 5}));
    EXPECT_EQ(tokens(json::object(), {{"eos_token_id", 4}}).ends, std::vector<std::int64_t>{4});
    EXPECT_TRUE(tokens(json::object(), json::object()).ends.empty());
    EXPECT_TRUE(tokens({{"eos_token_id", 50256}}, {}).ends.empty());  // beyond the vocabulary
    const auto all = tokens({{"bad_words_ids", {{2}, {3}, {4, 5}}},
                             {"eos_token_id", 3},
                             {"suppress_tokens", {6}},
                             {"forced_bos_token_id", 7},
                             {"forced_eos_token_id", 3}},
                            {});
    EXPECT_EQ(all.never, (std::vector<std::int64_t>{2, 6}));  // a text must be able to end
    EXPECT_EQ(all.forcedFirst, 7);
    EXPECT_EQ(all.forcedLast, 3);
}

TEST(GenerationConfig, that_is_broken_is_refused_by_file_and_key) {
    const std::tuple<const char*, const char*, const char*> broken[] = {
        {"[]", "a JSON object", "a list"},
        {R"({"eos_token_id": "end"})", "eos_token_id", "\"end\""},
        {R"({"eos_token_id": [1, 2.5]})", "eos_token_id", "2.5"},
        {R"({"bad_words_ids": [1]})", "bad_words_ids", "a list of lists"},
        {R"({"suppress_tokens": {}})", "suppress_tokens", "an object"},
        {R"({"forced_eos_token_id": 96})", "forced_eos_token_id", "0 to 95"}};
    for (const auto& [content, key, found] : broken) {
        const EditedModel model("gpt2");
        writeBytes(model.file("generation_config.json"), content);
        const auto info = model::describeFolder(model.folder());
        ASSERT_FALSE(info) << content;
        for (const char* word : {"generation_config.json", key, found})
            EXPECT_NE(info.error().message.find(word), std::string::npos) << info.error().message << "\n"
                                                                          << word;
    }
}

}  // namespace
}  // namespace fovea::test
