// SPDX-License-Identifier: GPL-3.0-or-later
// Laws of models that read with one stack and write with another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/core/model/edited_model.h"
#include "tests/core/model/model_run.h"
#include "tests/core/model/reference_run.h"

namespace fovea::test {
namespace {

constexpr const char* writingModels[] = {"bart", "marian", "mbart", "pegasus", "t5", "mt5"};

ModelInput inputFor(const LoadedModel& model, std::size_t source, std::size_t target) {
    const ModelInfo& info = model.info();
    ModelInput input;
    for (std::size_t i = 0; i < source; ++i)
        input.inputIds.push_back(static_cast<std::int64_t>((i * 13 + 5) % info.vocabularySize));
    input.decoderInputIds = {info.decoder->startId};
    for (std::size_t i = 1; i < target; ++i)
        input.decoderInputIds.push_back(
            static_cast<std::int64_t>((i * 7 + 3) % info.decoder->vocabularySize));
    return input;
}

std::span<const float> logitsOf(const Trace& trace) { return trace.findOutput("logits")->values; }

// The largest of the last row, but for what the model's folder forbids.
std::int64_t likeliest(const Trace& trace, const ModelInfo& info) {
    const auto last = logitsOf(trace).last(info.decoder->vocabularySize);
    std::vector<float> allowed(last.begin(), last.end());
    const auto generation = nlohmann::json::parse(readBytes(info.folder / "generation_config.json"));
    for (const auto& word : generation.value("bad_words_ids", nlohmann::json::array()))
        allowed.at(word.at(0).get<std::size_t>()) = -INFINITY;
    return std::ranges::max_element(allowed) - allowed.begin();
}

TEST(TwoStackRun, every_row_of_all_three_groups_sums_to_one) {
    for (const char* name : writingModels) {
        const auto model = bundledModel(name);
        const auto trace = runOf(*model, inputFor(*model, 9, 6), MechanismPlan::everywhere({1.5, 1}));
        ASSERT_EQ(trace->records.size(), model->info().sites.size());
        for (const AttentionRecord& record : trace->records) {
            const bool reads = record.site.kind == SiteKind::Encoder;
            EXPECT_EQ(record.scores->queries(), reads ? 9u : 6u) << name << " " << record.site.name;
            EXPECT_EQ(record.scores->keys(), record.site.kind == SiteKind::Decoder ? 6u : 9u);
            const std::vector<float> weights = weightsOf(*record.scores, record.applied);
            for (std::size_t row = 0; row < weights.size(); row += record.scores->keys()) {
                double sum = 0;
                for (std::size_t key = 0; key < record.scores->keys(); ++key) sum += weights[row + key];
                EXPECT_NEAR(sum, 1, 1e-5) << name << " " << record.site.name;
            }
        }
    }
}

TEST(TwoStackRun, padding_of_the_source_changes_nothing) {
    for (const char* name : writingModels) {
        const auto model = bundledModel(name);
        ModelInput input = inputFor(*model, 9, 6);
        const auto alone = runOf(*model, input);
        input.inputIds.insert(input.inputIds.end(), {1, 0, 3});
        input.attentionMask.assign(12, 1);
        std::fill(input.attentionMask.begin() + 9, input.attentionMask.end(), 0);
        const auto padded = runOf(*model, input);
        EXPECT_LE(largestDifference(logitsOf(*alone), logitsOf(*padded)), 1e-4) << name;
        EXPECT_TRUE(padded->records.back().scores->hasPadding()) << name;
    }
}

TEST(TwoStackRun, what_is_written_later_does_not_change_what_was_written) {
    for (const char* name : writingModels) {
        const auto model = bundledModel(name);
        const std::size_t vocabulary = model->info().decoder->vocabularySize;
        const auto whole = runOf(*model, inputFor(*model, 8, 7));
        const auto part = runOf(*model, inputFor(*model, 8, 4));
        EXPECT_LE(largestDifference(logitsOf(*whole).first(4 * vocabulary), logitsOf(*part)), 1e-4) << name;
    }
}

// Kept keys and values give what a run of the whole sequence gives, at every step and under a mechanism.
TEST(TwoStackRun, writing_token_by_token_agrees_with_reading_the_whole) {
    for (const char* name : writingModels) {
        for (const MechanismPlan& plan : {MechanismPlan{}, MechanismPlan{{"cross.*"}, {2, 1}}}) {
            const auto model = bundledModel(name);
            ModelInput input = inputFor(*model, 9, 5);
            GenerationSettings settings;
            settings.newTokens = 6;
            const auto written = model->generate(input, plan, settings, {}, {});
            ASSERT_TRUE(written) << written.error().message;
            EXPECT_EQ(written->given, 5u);
            // The last one may be forced.
            for (std::size_t i = 5; i + 1 < std::min<std::size_t>(written->ids.size(), 11); ++i) {
                const auto trace = runOf(*model, input, plan);
                EXPECT_EQ(written->ids[i], likeliest(*trace, model->info())) << name << " at " << i;
                input.decoderInputIds.push_back(written->ids[i]);
            }
        }
    }
}

TEST(TwoStackRun, a_mechanism_in_cross_attention_leaves_the_encoder_as_it_is) {
    const auto model = bundledModel("marian");
    const ModelInput input = inputFor(*model, 9, 6);
    const auto own = runOf(*model, input);
    const auto changed = runOf(*model, input, {{"cross.*"}, {2, 1}});
    for (std::size_t site = 0; site < own->records.size(); ++site) {
        const bool cross = own->records[site].site.kind == SiteKind::Cross;
        EXPECT_EQ(changed->records[site].applied.alpha, cross ? 2 : 1);
    }
    const std::size_t last = model->info().layers - 1;
    EXPECT_EQ(weightsOf(*own->records[last].scores, {}), weightsOf(*changed->records[last].scores, {}));
    EXPECT_GT(largestDifference(logitsOf(*own), logitsOf(*changed)), 1e-3);
}

void expectRefused(const LoadedModel& model, const ModelInput& input, std::vector<std::string> words) {
    const auto trace = model.run(input, {}, {});
    ASSERT_FALSE(trace);
    for (const std::string& word : words)
        EXPECT_TRUE(trace.error().message.contains(word)) << trace.error().message << "\nlacks " << word;
}

TEST(TwoStackRun, ids_beyond_the_vocabulary_of_their_own_stack_are_refused) {
    const auto model = bundledModel("marian");
    ASSERT_LT(model->info().decoder->vocabularySize, model->info().vocabularySize);
    ModelInput input = inputFor(*model, 9, 6);
    const auto beyond = static_cast<std::int64_t>(model->info().decoder->vocabularySize);
    input.inputIds[2] = beyond;
    EXPECT_TRUE(model->run(input, {}, {}));
    input.decoderInputIds[2] = beyond;
    expectRefused(*model, input,
                  {"decoder_input_ids[2]", std::to_string(beyond - 1), std::to_string(beyond)});
}

TEST(TwoStackRun, a_decoder_without_a_sequence_is_refused_with_its_start_token) {
    const auto model = bundledModel("marian");
    ModelInput input = inputFor(*model, 9, 1);
    input.decoderInputIds.clear();
    expectRefused(*model, input,
                  {"decoder_input_ids", "start token " + std::to_string(model->info().decoder->startId)});
}

TEST(TwoStackRun, more_positions_than_a_decoder_has_are_refused) {
    const auto model = bundledModel("bart");
    const std::size_t most = model->info().maxPositions;
    EXPECT_TRUE(model->run(inputFor(*model, 3, most), {}, {}));
    expectRefused(*model, inputFor(*model, 3, most + 1), {std::to_string(most), std::to_string(most + 1)});
}

TEST(TwoStackRun, a_classifier_reads_at_the_last_end_token_or_says_what_is_missing) {
    const auto model = bundledModel("bart-classifier");
    ASSERT_TRUE(model->info().decoder->summaryId);
    const std::int64_t end = *model->info().decoder->summaryId;
    ModelInput input = inputFor(*model, 9, 9);
    std::ranges::replace(input.inputIds, end, end + 1);
    expectRefused(*model, input, {"input_ids", "end token " + std::to_string(end)});
    input.inputIds[6] = end;
    const auto here = runOf(*model, input);
    // What the decoder reads behind that place cannot reach it.
    ModelInput other = input;
    other.decoderInputIds[7] += 1;
    EXPECT_LE(largestDifference(logitsOf(*here), logitsOf(*runOf(*model, other))), 1e-6);
    other.decoderInputIds[6] += 1;
    EXPECT_GT(largestDifference(logitsOf(*here), logitsOf(*runOf(*model, other))), 1e-6);
    input.decoderInputIds.pop_back();
    expectRefused(*model, input, {"decoder_input_ids", "9", "8"});
}

}  // namespace
}  // namespace fovea::test
